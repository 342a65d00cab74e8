/** A job is read strictly, its calls are grouped, and arguments are fed from values. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { fed, job, rounds } from "../contract/job.js";

test("what is not known makes a job unsupported", () => {
  const steps = [{ call: { tool: "a", arguments: {} } }];
  assert.ok(job({ id: 1, steps }));
  assert.throws(() => job({ id: 1, steps: [{ strange: {} }] }), /strange/);
  assert.throws(() => job({ id: 1, steps, strange: 1 }), /strange/);
  assert.throws(() => job({ id: 1, steps: [{ list: { strange: 1 } }] }));
});

test("calls that are made at once are one round", () => {
  const call = { call: { tool: "a", arguments: {} } };
  const joined = { call: { ...call.call, at_once: true } };
  assert.deepEqual(
    rounds([{ list: {} }, call, joined, joined, call]).map(
      ({ length }) => length,
    ),
    [1, 3, 1],
  );
});

test("what is not there is not fed", () => {
  const call = {
    tool: "a",
    arguments: { kept: 1, inner: {} },
    feed: { "/id": "/0/id", "/inner/a~1b": "/0/name", "/none": "/7/id" },
  };
  assert.deepEqual(fed(call, [{ id: null, name: "n" }]), {
    kept: 1,
    id: null,
    inner: { "a/b": "n" },
  });
  assert.deepEqual(fed(call, undefined), call.arguments);
});

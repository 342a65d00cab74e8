/** What JavaScript holds of JSON is read, and what it would change is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Unsupported, difference, held, read } from "../contract/exact.js";

test("a value that JavaScript holds is read", () => {
  for (const text of [
    '[1, 1.0, -0, 1e2, 0.1, 1e21, 5e-324, 9007199254740992, "1e999 \\" 2"]',
    '{"a": {"b": 1}, "b": [{"a": 1}, {"a": 2}], "": "a:1", "c": "{"}',
    String.raw`["\ud800", "\u0000", "\\"]`,
    `"${"1".repeat(10_000_000)}"`,
  ]) {
    assert.deepEqual(read(text), JSON.parse(text));
  }
});

test("a value that JavaScript would change is refused", () => {
  for (const text of [
    "[9007199254740993]",
    "[123456789012345678901234567890]",
    "[1e400]",
    "[0.30000000000000000001]",
    '{"a": 1, "a": 2}',
    String.raw`{"a": 1, "\u0061" : 2}`,
    '[{"x": {"a": {}, "b": [{"a": 1}], "a": 2}}]',
  ]) {
    assert.throws(() => read(text), Unsupported, text);
  }
});

test("a type that changes a value does not hold it", () => {
  const narrow = (/** @type {any} */ { name }) => ({ name });
  held("a tool", { name: "a" }, narrow);
  assert.throws(
    () => held("a tool", { name: "a", x: { y: 1 } }, narrow),
    new Unsupported("the SDK's type for a tool changes /x"),
  );
});

test("a difference is found where it is", () => {
  assert.equal(difference({ a: [1, 2] }, { a: [1, 2] }), undefined);
  assert.equal(difference({ a: [1, 2] }, { a: [1, 3] }), "/a/1");
  assert.equal(difference({ "a/b": null }, {}), "/a~1b");
  assert.equal(difference([], {}), "");
});

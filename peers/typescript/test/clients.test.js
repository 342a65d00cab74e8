/** A client adapter reports what its SDK gives to its user, and not what was on the wire. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { finished, messages } from "./processes.js";

/** @import { Answer } from "../contract/answer.js" */

const OBJECT = { type: "object" };

for (const sdk of ["sdk-1", "sdk-2"]) {
  test(`${sdk}: a number that is no double reaches the user as the nearest one`, async () => {
    const [{ structured }] = await called(
      sdk,
      OBJECT,
      '{"content": [], "structuredContent": {"id": 9007199254740993}}',
    );
    assert.deepEqual(structured, {
      present: true,
      value: { id: 9007199254740992 },
    });
  });

  test(`${sdk}: an answer is told to its end`, async () => {
    const text = "x".repeat(100_000);
    const result = `{"content": [], "structuredContent": {"text": "${text}"}}`;
    const [{ structured }] = await called(sdk, OBJECT, result);
    assert.deepEqual(structured?.value, { text });
  });

  test(`${sdk}: content that was left out is empty`, async () => {
    const [{ content }] = await called(
      sdk,
      OBJECT,
      '{"structuredContent": {}}',
    );
    assert.deepEqual(content, []);
  });

  test(`${sdk}: a null and a list are refused in a legacy session`, async () => {
    for (const value of ["null", "[1]"]) {
      const result = `{"content": [], "structuredContent": ${value}}`;
      const [{ error }] = await called(sdk, OBJECT, result);
      assert.equal(error?.layer, "decode");
    }
  });

  test(`${sdk}: a value that violates its schema is refused once the tools were listed`, async () => {
    const schema = { ...OBJECT, required: ["id"] };
    const result = '{"content": [], "structuredContent": {}}';
    const [, listed] = await called(sdk, schema, result, [{ list: {} }]);
    assert.equal(listed.error?.layer, "validate");
    const [unlisted] = await called(sdk, schema, result);
    assert.deepEqual(unlisted.structured, { present: true, value: {} });
  });

  test(`${sdk}: a session that holds its thread delays no other one`, async () => {
    const schema = {
      ...OBJECT,
      properties: { name: { type: "string", pattern: "^(a+)+$" } },
    };
    const value = JSON.stringify({ name: `${"a".repeat(40)}!` });
    const steps = [{ list: {} }, call("get")];
    const answers = await played(sdk, [
      job(1, schema, `{"content": [], "structuredContent": ${value}}`, steps),
      job(2, OBJECT, '{"content": [], "structuredContent": {"id": 1}}', steps),
    ]);
    assert.deepEqual(
      answers.map(({ id }) => id),
      [2, 1],
    );
    assert.deepEqual(answers[0].steps[1].structured?.value, { id: 1 });
    assert.equal(answers[1].steps[0].tools?.[0].name, "get");
    assert.equal(answers[1].steps[1].error?.layer, "timeout");
  });

  test(`${sdk}: a step that nobody knows is unsupported`, async () => {
    const probe = job(1, OBJECT, "{}", [{ "probe-that-no-adapter-knows": {} }]);
    const [{ unsupported }] = await played(sdk, [probe]);
    assert.match(unsupported ?? "", /probe-that-no-adapter-knows/);
  });
}

test("ai-sdk-mcp: a null and a list reach the user in a legacy session", async () => {
  for (const value of [null, [1]]) {
    const result = JSON.stringify({ content: [], structuredContent: value });
    const [{ structured }] = await called("ai-sdk-mcp", OBJECT, result);
    assert.deepEqual(structured, { present: true, value });
  }
});

test("ai-sdk-mcp: a value that violates its schema is taken", async () => {
  const schema = { ...OBJECT, required: ["id"] };
  const result = '{"content": [], "structuredContent": {}}';
  const [, { structured }] = await called("ai-sdk-mcp", schema, result, [
    { list: {} },
  ]);
  assert.deepEqual(structured, { present: true, value: {} });
});

/** @param {string} tool */
function call(tool) {
  return { call: { tool, arguments: {} } };
}

/**
 * A session with a server of one tool.
 *
 * @param {number} id
 * @param {object} outputSchema
 * @param {string} result of every call
 * @param {object[]} steps
 */
function job(id, outputSchema, result, steps) {
  const tools = [{ name: "get", inputSchema: OBJECT, outputSchema }];
  const server = fileURLToPath(new URL("raw-server.js", import.meta.url));
  const command = [process.execPath, server, JSON.stringify(tools), result];
  return {
    id,
    scenario: "test",
    server: { stdio: { command } },
    steps,
    deadlines: { connect_ms: 10_000, step_ms: 1000 },
  };
}

/**
 * Returns the observations of some steps, and of a call after them.
 *
 * @param {string} sdk
 * @param {object} outputSchema
 * @param {string} result
 * @param {object[]} [steps]
 */
async function called(sdk, outputSchema, result, steps = []) {
  const whole = [...steps, call("get")];
  const [answer] = await played(sdk, [job(1, outputSchema, result, whole)]);
  assert.equal(answer.error, undefined);
  return answer.steps;
}

/**
 * The answers to jobs, in the order in which they came.
 *
 * @param {string} sdk
 * @param {object[]} jobs
 * @returns {Promise<Answer[]>}
 */
async function played(sdk, jobs) {
  const client = fileURLToPath(new URL(`../${sdk}/client.js`, import.meta.url));
  const lines = jobs.map((job) => `${JSON.stringify(job)}\n`);
  const { stdout } = await finished(
    spawn(process.execPath, [client]),
    lines.join(""),
  );
  return messages(stdout);
}

/** A server adapter plays what its SDK can say, and nothing else. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { finished, messages } from "./processes.js";

for (const sdk of ["sdk-1", "sdk-2", "tmcp"]) {
  for (const flavour of ["low-level", "typed"]) {
    test(`${sdk}, ${flavour}: a script is played over stdio`, async () => {
      const { stdout } = await overStdio(sdk, flavour, script('{"id": 1}'));
      const [, result] = messages(stdout);
      assert.deepEqual(result.result.structuredContent, { id: 1 });
    });

    test(`${sdk}, ${flavour}: what JavaScript does not hold is unsupported`, async () => {
      const text = script('{"id": 9007199254740993}');
      const { status, stderr } = await overStdio(sdk, flavour, text);
      assert.equal(status, 127);
      assert.match(
        stderr,
        /JavaScript cannot represent the number 9007199254740993/,
      );
      assert.match(await hosted(sdk, flavour, text), /9007199254740993/);
    });

    test(`${sdk}, ${flavour}: what the SDK's types change is unsupported`, async () => {
      const text = script('{"id": 1}', '"text"');
      assert.match(await hosted(sdk, flavour, text), /represent the result/);
    });
  }
}

test("sdk-1: structured content is an object", async () => {
  const reason = await hosted("sdk-1", "low-level", script("[1]"));
  assert.match(
    reason,
    /the SDK cannot represent the result \(\/structuredContent/,
  );
});

test("tmcp: structured content that is no object is sent as it is", async () => {
  const { stdout } = await overStdio("tmcp", "low-level", script("[1]"));
  const [, { result }] = messages(stdout);
  assert.deepEqual(result.structuredContent, [1]);
});

test("sdk-2: structured content that is no object is wrapped for a legacy session", async () => {
  const { stdout } = await overStdio("sdk-2", "low-level", script("[1]"));
  const [, { result }] = messages(stdout);
  assert.deepEqual(result.structuredContent, { result: [1] });
});

// A pattern of Python that no regular expression of JavaScript is.
const PYTHON = String.raw`{"type": "object", "required": ["id"],
  "properties": {"id": {"type": "string", "pattern": "^(?P<id>a)$"}}}`;

test("sdk-1, typed: a schema that Zod cannot have is unsupported", async () => {
  const text = script('{"id": "a"}', "[]", PYTHON);
  assert.match(
    await hosted("sdk-1", "typed", text),
    /cannot compile the pattern/,
  );
});

// An enumeration without a value.
const EMPTY =
  '{"type": "object", "required": ["id"], "properties": {"id": {"enum": []}}}';

test("sdk-1, typed: an enumeration of nothing is unsupported", async () => {
  const text = script('{"id": "a"}', "[]", EMPTY);
  assert.match(await hosted("sdk-1", "typed", text), /no empty union/);
});

test("sdk-2, typed: the SDK refuses an enumeration of nothing", async () => {
  const text = script('{"id": "a"}', "[]", EMPTY);
  assert.match(await hosted("sdk-2", "typed", text), /non-empty array/);
});

test("sdk-2, typed: Zod stamps the dialect, as it does for its users", async () => {
  const schema =
    '{"type": "object", "properties": {"id": {"type": "number"}}, "required": ["id"]}';
  const text = script('{"id": 1}', "[]", schema);
  const { stdout } = await overStdio("sdk-2", "typed", text, "tools/list");
  const [, { result }] = messages(stdout);
  assert.equal(
    result.tools[0].outputSchema.$schema,
    "https://json-schema.org/draft/2020-12/schema",
  );
});

/**
 * A script of one tool.
 *
 * @param {string} structured what a call answers
 * @param {string} [content]
 * @param {string} [outputSchema]
 */
function script(structured, content = "[]", outputSchema) {
  const declared = outputSchema ? `, "outputSchema": ${outputSchema}` : "";
  const definition = `{"name": "get", "inputSchema": {"type": "object"}${declared}}`;
  const result = `{"content": ${content}, "structuredContent": ${structured}}`;
  return `{"scenario": "test", "stages": [{"tools":
    [{"name": "get", "definition": ${definition}, "reply": {"result": ${result}}}]}]}`;
}

/**
 * The arguments of a server adapter.
 *
 * @param {string} sdk
 * @param {string} flavour
 */
function server(sdk, flavour) {
  const path = fileURLToPath(new URL(`../${sdk}/server.js`, import.meta.url));
  return flavour === "typed" ? [path, "--typed"] : [path];
}

/**
 * Opens a session, and calls the tool.
 *
 * @param {string} sdk
 * @param {string} flavour
 * @param {string} text of the script
 */
async function overStdio(sdk, flavour, text, method = "tools/call") {
  const folder = await mkdtemp(join(tmpdir(), "mcp-compat-"));
  const path = join(folder, "script.json");
  await writeFile(path, text);
  const child = spawn(process.execPath, server(sdk, flavour), {
    env: { ...process.env, MCP_COMPAT_SCENARIO: path },
  });
  child.stdin.on("error", () => {});
  const request = (
    /** @type {number} */ id,
    /** @type {string} */ method,
    /** @type {object} */ params,
  ) =>
    child.stdin.write(
      `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`,
    );
  request(1, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  const call = { name: "get", arguments: {} };
  request(2, method, method === "tools/call" ? call : {});
  let answers = 0;
  child.stdout.on("data", (chunk) => {
    answers += String(chunk).split("\n").length - 1;
    if (answers >= 2) child.stdin.end();
  });
  const seen = await finished(child);
  await rm(folder, { recursive: true });
  return seen;
}

/**
 * Returns the reason why a script is not hosted.
 *
 * @param {string} sdk
 * @param {string} flavour
 * @param {string} text
 * @returns {Promise<string>}
 */
async function hosted(sdk, flavour, text) {
  const child = spawn(process.execPath, [...server(sdk, flavour), "--http"]);
  const line = `{"id": 7, "path": "/a", "script": ${text.replaceAll("\n", "")}}\n`;
  const { stdout } = await finished(child, line);
  const [base, answer] = stdout.trim().split("\n");
  assert.match(base, /^http:\/\/127\.0\.0\.1:\d+$/);
  const { id, unsupported } = JSON.parse(answer);
  assert.equal(id, 7);
  return unsupported;
}

/** Script of a server. */

import { readFileSync } from "node:fs";

import { Unsupported, read } from "./exact.js";
import { known } from "./job.js";
import { unsupported } from "./lines.js";

/**
 * @typedef {object} Script
 * @property {string} scenario for logs
 * @property {Stage[]} stages the tools, and what they become with each evolution
 * @property {number} [page_size] how many tools a page of the list holds; all when absent
 * @property {Record<string, unknown>} [list] members that the result of `tools/list` has beside `tools`
 * @property {string[]} [list_without] members that the result of `tools/list` is sent without
 * @property {unknown[]} [answers] answers to requests that are no calls
 */

/**
 * @typedef {object} Stage
 * @property {ScriptedTool[]} tools in the order in which they are listed
 * @property {boolean} [told] whether the step into this stage is told
 */

/**
 * @typedef {object} ScriptedTool
 * @property {string} name as in its definition
 * @property {Record<string, unknown>} definition as in `tools/list`
 * @property {Reply} reply what a call answers
 * @property {string[]} [without] members that a result is sent without
 * @property {string[]} [before] messages that are sent right before the answer
 * @property {string} [answers_after] the tool whose call must have been answered first
 */

/**
 * @typedef {object} Reply one of these
 * @property {Record<string, unknown>} [result]
 * @property {{code: number, message: string, data?: unknown}} [error] a JSON-RPC error
 * @property {string} [raw] bytes in place of the whole message
 * @property {{}} [hang] no answer, ever
 * @property {{status: number}} [exit] the end of the process
 * @property {{}} [evolve] the step to the next stage
 */

/** The members of the messages. */
const MEMBERS = {
  script: [
    "scenario",
    "stages",
    "page_size",
    "list",
    "list_without",
    "answers",
  ],
  stage: ["tools", "told"],
  tool: ["name", "definition", "reply", "without", "before", "answers_after"],
  reply: ["result", "error", "raw", "hang", "exit", "evolve"],
};

/**
 * Takes a script, if the server of an SDK can play it at all.
 *
 * @param {any} value
 * @returns {Script}
 * @throws {Unsupported}
 */
export function script(value) {
  known("this adapter", value, MEMBERS.script);
  if (value.answers?.length > 0) {
    throw new Unsupported(
      "the SDK's server API cannot script answers to requests other than tools/call",
    );
  }
  if (value.list_without?.length > 0) {
    throw new Unsupported(
      "the SDK's server API adds the members that the revision requires",
    );
  }
  for (const stage of value.stages) {
    known("this adapter", stage, MEMBERS.stage);
    stage.tools.forEach(playable);
  }
  return value;
}

/** @param {ScriptedTool} tool */
function playable(tool) {
  known("this adapter", tool, MEMBERS.tool);
  known("this adapter", tool.reply, MEMBERS.reply);
  if (tool.without?.length) {
    throw new Unsupported(
      "the SDK's server API adds the members that the revision requires",
    );
  }
  if (tool.before?.length) {
    throw new Unsupported(
      "the SDK's server API cannot send a scripted message before an answer",
    );
  }
  if (tool.answers_after !== undefined) {
    throw new Unsupported(
      "the adapter cannot delay one answer until after another",
    );
  }
  if (tool.reply.raw !== undefined) {
    throw new Unsupported("the SDK's server API cannot send raw bytes");
  }
}

/**
 * Serves the script of a stdio server. Ends the process as `unsupported` when there is none that can be held.
 *
 * @param {(script: Script) => Promise<void>} serve
 */
export async function serveStdio(serve) {
  try {
    const path = process.env.MCP_COMPAT_SCENARIO;
    if (path === undefined)
      throw new Unsupported("MCP_COMPAT_SCENARIO is not set");
    await serve(script(read(readFileSync(path, "utf8"))));
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    unsupported(error.message);
  }
}

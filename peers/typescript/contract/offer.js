/** A script as a server holds it: proven to be what the SDK's types hold, stage by stage. */

import { Unsupported, held } from "./exact.js";

/** @import { Script, ScriptedTool } from "./script.js" */

/**
 * The SDK's types, each as what reads a value as the SDK does, or throws.
 *
 * @typedef {object} Types
 * @property {(value: any) => unknown} tool
 * @property {(value: any) => unknown} result of a call
 * @property {(value: any) => unknown} list the result of `tools/list`
 */

/**
 * Process of a server: a process of its own for each session, or one process for many sessions of many scripts.
 *
 * @typedef {"one session" | "many sessions"} Process
 */

/** Tools of a script and their answers. */
export class Offer {
  /** @type {Script} */
  #script;

  /**
   * @param {Script} script
   * @param {Process} process
   * @param {Types} types
   * @throws {Unsupported} when the types do not hold it, or the SDK has no way to do it
   */
  constructor(script, process, types) {
    this.#script = script;
    held("the list", { ...script.list, tools: [] }, types.list);
    for (const { definition, reply } of script.stages.flatMap((s) => s.tools)) {
      held("the tool", definition, types.tool);
      if (reply.result) held("the result", reply.result, types.result);
      if (reply.error) held("the error", reply.error, errorType);
      if (reply.exit && process === "many sessions") {
        throw new Unsupported(
          "the SDK's HTTP server cannot drop one connection",
        );
      }
    }
  }

  /** Returns whether the tools ever change. */
  get changes() {
    return this.#script.stages.length > 1;
  }

  /** Returns whether the list has pages, or members beside its tools. */
  get hasOwnList() {
    return Boolean(this.#script.page_size || this.#script.list);
  }

  /** The stages, in their order. */
  get stages() {
    return this.#script.stages;
  }

  /**
   * A stage; past the last one, that stays.
   *
   * @param {number} stage
   */
  stage(stage) {
    const { stages } = this.#script;
    return stages[Math.min(stage, stages.length - 1)];
  }

  /**
   * The page that a cursor of an earlier page names, as the result of `tools/list`.
   *
   * @param {number} stage
   * @param {string} [cursor]
   * @returns {{tools: any[], nextCursor?: string} | undefined} nothing: no such cursor
   */
  page(stage, cursor = "0") {
    const { tools } = this.stage(stage);
    const start = Number(cursor);
    if (!Number.isInteger(start) || start < 0 || start > tools.length) {
      return undefined;
    }
    const end = start + (this.#script.page_size || tools.length);
    const page = tools.slice(start, end).map(({ definition }) => definition);
    const more = end < tools.length ? { nextCursor: String(end) } : {};
    return { ...this.#script.list, tools: page, ...more };
  }

  /**
   * The tool of a name. Nothing: there is none in this stage.
   *
   * @param {number} stage
   * @param {string} name
   */
  tool(stage, name) {
    return this.stage(stage).tools.find((tool) => tool.name === name);
  }
}

/**
 * Does what a call of a tool answers.
 *
 * @param {ScriptedTool} tool
 * @param {() => Promise<void>} evolve takes the step to the next stage
 * @returns {Promise<any>} the result
 */
export async function perform({ reply }, evolve) {
  if (reply.result) return reply.result;
  if (reply.error) {
    const { code, message, data } = reply.error;
    throw Object.assign(new Error(message), { code, data });
  }
  if (reply.exit) process.exit(reply.exit.status);
  if (reply.hang) return new Promise(() => {});
  await evolve();
  return { content: [{ type: "text", text: "the tools have changed" }] };
}

/**
 * Returns the error that the SDK sends for one that a handler throws.
 *
 * @param {{code: number, message: string, data?: unknown}} error
 */
function errorType({ code, message, data }) {
  if (!Number.isSafeInteger(code)) throw new Error("a code is an integer");
  return data === undefined ? { code, message } : { code, message, data };
}

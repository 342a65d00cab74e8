/** Job of a client: one session. */

import { Unsupported } from "./exact.js";

/**
 * @typedef {object} Job
 * @property {number} id given back in the answer
 * @property {string} scenario for logs
 * @property {ServerAddress} server
 * @property {Mode} [mode] how to negotiate, for an SDK that has a choice
 * @property {JobStep[]} steps what to do, in order
 * @property {{connect_ms: number, step_ms: number}} deadlines until a session stands, and for each step
 */

/**
 * A command to be started, which speaks over its standard streams; or a streamable HTTP endpoint.
 *
 * @typedef {{stdio: {command: string[], env?: Record<string, string>}} | {http: {url: string}}} ServerAddress
 */

/** @typedef {"legacy" | "auto" | "modern"} Mode */

/**
 * @typedef {object} JobStep one of these
 * @property {{}} [list] list all tools
 * @property {Call} [call] call a tool
 * @property {{told: boolean}} [evolve] call {@link EVOLVE_TOOL}; `told`: the server will tell of the change
 */

/**
 * @typedef {object} Call
 * @property {string} tool
 * @property {Record<string, unknown>} arguments
 * @property {boolean} [at_once] whether it is sent together with the step before
 * @property {Record<string, string>} [feed] arguments from the value of the call before, pointer to pointer
 */

/** The tool whose call makes a server go to its next stage. */
export const EVOLVE_TOOL = "mcp_compat_evolve";

/** The members of the messages, those of a step by the step's name. */
const MEMBERS = {
  job: ["id", "scenario", "server", "mode", "steps", "deadlines"],
  list: [],
  call: ["tool", "arguments", "at_once", "feed"],
  evolve: ["told"],
};

/**
 * Takes a job, if it asks for nothing that is not known here.
 *
 * @param {any} value
 * @returns {Job}
 * @throws {Unsupported}
 */
export function job(value) {
  known("this adapter", value, MEMBERS.job);
  for (const step of value.steps) {
    known("this adapter", step, ["list", "call", "evolve"]);
    for (const name of /** @type {("list" | "call" | "evolve")[]} */ (
      Object.keys(step)
    )) {
      known("this adapter", step[name], MEMBERS[name]);
    }
  }
  return value;
}

/**
 * Makes sure that an object has no other members than these.
 *
 * @param {string} what
 * @param {object} value
 * @param {string[]} members
 * @throws {Unsupported}
 */
export function known(what, value, members) {
  const strange = Object.keys(value).find((key) => !members.includes(key));
  if (strange !== undefined) {
    throw new Unsupported(
      `${what} does not support ${JSON.stringify(strange)}`,
    );
  }
}

/**
 * The steps, those that are taken together in one round.
 *
 * @param {JobStep[]} steps
 * @returns {JobStep[][]}
 */
export function rounds(steps) {
  /** @type {JobStep[][]} */
  const rounds = [];
  for (const step of steps) {
    if (step.call?.at_once && rounds.length > 0) rounds.at(-1)?.push(step);
    else rounds.push([step]);
  }
  return rounds;
}

/**
 * A call's arguments, with what they take from the value of the call before. What is not there is left out.
 *
 * @param {Call} call
 * @param {unknown} last
 * @returns {Record<string, unknown>}
 */
export function fed(call, last) {
  const filled = structuredClone(call.arguments);
  for (const [into, from] of Object.entries(call.feed ?? {})) {
    const value = at(last, from);
    const cut = into.lastIndexOf("/");
    const parent = at(filled, into.slice(0, cut));
    if (value !== undefined && typeof parent === "object" && parent !== null) {
      Object.assign(parent, { [unescaped(into.slice(cut + 1))]: value });
    }
  }
  return filled;
}

/**
 * Returns the value at a JSON Pointer, if there is one.
 *
 * @param {unknown} value
 * @param {string} pointer
 * @returns {unknown}
 */
function at(value, pointer) {
  for (const token of pointer.split("/").slice(1)) {
    const key = unescaped(token);
    if (typeof value !== "object" || value === null) return undefined;
    if (!Object.hasOwn(value, key)) return undefined;
    value = /** @type {Record<string, unknown>} */ (value)[key];
  }
  return value;
}

/** @param {string} token */
function unescaped(token) {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

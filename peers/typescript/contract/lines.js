/** The contract's lines: read from stdin, written to stdout. */

import { Console } from "node:console";

import { write } from "./exact.js";

/**
 * The lines of stdin, to its end. They end with a line feed and nothing else: the separators of Unicode, at which
 * `node:readline` would part them too, may stand in JSON.
 *
 * @returns {AsyncGenerator<string>}
 */
export async function* lines() {
  /** @type {string[]} */
  let pieces = [];
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    const [first, ...rest] = chunk.split("\n");
    pieces.push(first);
    for (const piece of rest) {
      yield pieces.join("");
      pieces = [piece];
    }
  }
  if (pieces.some((piece) => piece !== "")) yield pieces.join("");
}

/**
 * Writes a message of the contract.
 *
 * @param {object} message
 */
export function say(message) {
  process.stdout.write(`${write(message)}\n`);
}

/**
 * Makes this process one that others depend on: what an SDK logs goes to stderr, for stdout is the contract's; an error
 * that nobody caught is logged, for other sessions go on; and whoever reads stdout no more has ended it.
 */
export function serveMany() {
  globalThis.console = new Console(process.stderr, process.stderr);
  process.on("uncaughtException", (error) => console.error(error));
  process.on("unhandledRejection", (reason) => console.error(reason));
  process.stdout.on("error", () => process.exit(1));
  process.once("SIGTERM", () => process.exit(143));
  process.once("SIGINT", () => process.exit(130));
}

/** Ends the process when all that was said has been read. */
export function leave() {
  process.stdout.end(() => process.exit(0));
}

/**
 * Ends the process with the status that says: this role, or this script, is not supported.
 *
 * @param {string} reason
 * @returns {never}
 */
export function unsupported(reason) {
  console.error(reason);
  process.exit(127);
}

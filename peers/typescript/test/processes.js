/** A process from its input to its end, and what it wrote. */

import { once } from "node:events";
import { text } from "node:stream/consumers";

/** @import { ChildProcessWithoutNullStreams } from "node:child_process" */

/**
 * Waits for the end of a process, and gathers what it wrote.
 *
 * @param {ChildProcessWithoutNullStreams} child
 * @param {string} [input] the whole of it; absent, somebody else writes it
 */
export async function finished(child, input) {
  if (input !== undefined) child.stdin.end(input);
  const ended = once(child, "exit");
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
  ]);
  const [status] = await ended;
  return { stdout, stderr, status };
}

/**
 * Returns the messages that a process wrote, one a line.
 *
 * @param {string} stdout
 * @returns {any[]}
 */
export function messages(stdout) {
  const lines = stdout.trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

/** Plays a job: a session with an SDK's client, step by step. */

import { setTimeout as sleep } from "node:timers/promises";

import { called, failed, listed } from "./answer.js";
import { EVOLVE_TOOL, fed, rounds } from "./job.js";

/** @import { CallResult, Part, PeerError, StepAnswer } from "./answer.js" */
/** @import { Changes } from "./changes.js" */
/** @import { Job, JobStep } from "./job.js" */

/** Longest time from the answer of the call to the SDK's notification of a change. */
export const CHANGE_TIMEOUT = 500;

/**
 * An SDK's client.
 *
 * @typedef {object} Client
 * @property {(job: Job) => Session} open makes a session; it is connected later
 * @property {(error: unknown) => PeerError} peerError classifies an error that the SDK raised
 */

/**
 * A session, as the user of an SDK's public API has it.
 *
 * @typedef {object} Session
 * @property {() => Promise<void>} connect
 * @property {() => string | undefined} negotiated the revision that the SDK says it speaks
 * @property {() => Promise<{name: string, outputSchema?: unknown}[]>} list all tools, following the pages
 * @property {(tool: string, args: Record<string, unknown>) => Promise<CallResult>} call
 * @property {Changes} changes the changes of tools that the SDK has handed out
 * @property {() => Promise<void>} close ends the session, and its server where that is a subprocess
 */

/**
 * Opens the session of a job and takes its steps; whoever asks closes it.
 *
 * @param {Job} job
 * @param {Client} client
 * @param {Session} session
 * @param {(part: Part) => void} tell is given what is known, as soon as it is
 */
export async function play(job, client, session, tell) {
  const { connect_ms, step_ms } = job.deadlines;
  const { error } = await guarded(connect_ms, client, async () => {
    await session.connect();
    return {};
  });
  if (error) {
    // Whatever it was, no session came of it.
    const isLate = error.layer === "timeout";
    return tell({ error: isLate ? error : { ...error, layer: "connect" } });
  }
  tell({ negotiated: session.negotiated(), steps: [] });

  /** @type {unknown} what the last call gave */
  let last;
  for (const round of rounds(job.steps)) {
    const value = last;
    const steps = await Promise.all(
      round.map((step) =>
        guarded(step_ms, client, () => taken(session, step, value)),
      ),
    );
    if (round[0].call) last = steps.at(-1)?.structured?.value;
    tell({ steps });
  }
}

/**
 * @param {Session} session
 * @param {JobStep} step
 * @param {unknown} last
 * @returns {Promise<StepAnswer>}
 */
async function taken(session, step, last) {
  if (step.call) {
    return called(await session.call(step.call.tool, fed(step.call, last)));
  }
  if (step.evolve) {
    const { count } = session.changes;
    await session.call(EVOLVE_TOOL, {});
    const { told } = step.evolve;
    return {
      evolved: told && (await session.changes.beyond(count, CHANGE_TIMEOUT)),
    };
  }
  return listed(await session.list());
}

/**
 * Bounds what an SDK does, in time and in what it may throw.
 *
 * @param {number} ms
 * @param {Client} client
 * @param {() => Promise<StepAnswer>} work
 * @returns {Promise<StepAnswer>}
 */
async function guarded(ms, client, work) {
  const waiting = new AbortController();
  const late = sleep(ms, undefined, { signal: waiting.signal }).then(
    () => ({ error: failed("timeout", `no answer within ${ms} ms`) }),
    () => ({}),
  );
  const done = work().catch((error) => ({ error: client.peerError(error) }));
  const answer = await Promise.race([done, late]);
  waiting.abort();
  return answer;
}

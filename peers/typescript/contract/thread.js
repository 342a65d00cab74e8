/**
 * A thread that plays jobs, one at a time, with the client whose module it is given.
 *
 * Each result is sent at once: a client that never lets go of its thread can then be ended from outside, and what its
 * user saw before is known.
 */

import { parentPort, workerData } from "node:worker_threads";
import { setTimeout as sleep } from "node:timers/promises";

import { watch } from "./children.js";
import { write } from "./exact.js";
import { play } from "./play.js";

/** @import { Client } from "./play.js" */
/** @import { MessagePort } from "node:worker_threads" */

/**
 * Message of the thread, one of these.
 *
 * @typedef {object} News
 * @property {true} [begun] the job was taken
 * @property {string} [part] of the answer, as JSON: what JSON does not hold, a user could not pass on either
 * @property {true} [complete] there are no more parts
 * @property {true} [closed] the session has ended
 * @property {number} [started] a process, by its id
 * @property {number} [ended] a process, by its id
 */

/** Time for which the answer waits for the session to end. A slower server is waited for after it. */
const CLOSE_GRACE = 100;

const port = /** @type {MessagePort} */ (parentPort);

/** @param {News} news */
const tell = (news) => port.postMessage(news);

watch(
  (pid) => tell({ started: pid }),
  (pid) => tell({ ended: pid }),
);

/** @type {Client} */
const client = await import(workerData);

port.on("message", async (job) => {
  tell({ begun: true });
  const session = client.open(job);
  await play(job, client, session, (part) => tell({ part: write(part) }));
  const closed = session.close().catch((error) => console.error(error));
  await Promise.race([closed, sleep(CLOSE_GRACE)]);
  tell({ complete: true });
  await closed;
  tell({ closed: true });
});

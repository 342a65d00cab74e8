/** Ends a session with an SDK's client. */

import { setTimeout as sleep } from "node:timers/promises";

/** Longest time that a server may take to end a session that it is told to end. */
const TERMINATE_TIMEOUT = 1000;

/**
 * @typedef {object} Closable
 * @property {() => Promise<void>} close
 */

/**
 * A transport of the SDK. The one over HTTP has the user tell the server when a session ends.
 *
 * @typedef {Closable & {terminateSession?: () => Promise<void>}} Transport
 */

/**
 * @param {Closable} client
 * @param {Transport} transport
 */
export async function close(client, transport) {
  const terminated = transport.terminateSession?.().catch(() => {});
  if (terminated) await Promise.race([terminated, sleep(TERMINATE_TIMEOUT)]);
  await client.close();
  // Where connecting failed, the client has let go of a transport that may still be starting its process.
  await transport.close();
}

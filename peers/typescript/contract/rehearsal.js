/**
 * Finds out which scripts can be served beside others.
 *
 * One process serves all scripts over HTTP, in one thread. An SDK that validates what its user returns may hold that
 * thread for a script, and every other one would seem to hang as well. So a script is rehearsed in a thread that can be
 * ended. Over stdio, where a process is one session, it is played in any case, and shows what happens.
 */

import { createHash } from "node:crypto";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { setTimeout as sleep } from "node:timers/promises";

/** @import { Script } from "./script.js" */

/** Longest time that a rehearsal may take. */
const LIMIT = 4000;

export class Rehearsal {
  #module;

  /** @type {Promise<Worker> | undefined} */
  #stage;

  /** @type {Map<string, boolean>} by a hash of the script */
  #known = new Map();

  /** @param {URL} module has the function `rehearse`, which does for a script what the SDK will do */
  constructor(module) {
    this.#module = module;
  }

  /**
   * Returns whether a script lets go of its thread.
   *
   * @param {Script} script
   * @returns {Promise<boolean>}
   */
  async passes(script) {
    const key = createHash("sha256")
      .update(JSON.stringify(script))
      .digest("base64");
    const known = this.#known.get(key);
    if (known !== undefined) return known;

    this.#stage ??= this.#open();
    const worker = await this.#stage;
    worker.postMessage(script);
    const passed = await Promise.race([
      once(worker, "message").then(() => true),
      sleep(LIMIT, false),
    ]);
    if (!passed) {
      this.#stage = undefined;
      await worker.terminate();
    }
    this.#known.set(key, passed);
    return passed;
  }

  async #open() {
    const worker = new Worker(new URL("./stage.js", import.meta.url), {
      workerData: this.#module.href,
    });
    worker.unref();
    await once(worker, "message");
    return worker;
  }
}

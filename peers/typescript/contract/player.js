/**
 * A thread that plays jobs, seen from outside.
 *
 * One that is late is ended, and its job is answered with what was seen until then.
 */

import { Worker } from "node:worker_threads";

import { failed } from "./answer.js";
import { kill } from "./children.js";
import { CHANGE_TIMEOUT } from "./play.js";

/** @import { Answer, Part, PeerError } from "./answer.js" */
/** @import { Job } from "./job.js" */
/** @import { Client } from "./play.js" */
/** @import { News } from "./thread.js" */

/** Time after a deadline within which a thread has to report it. */
const LATE_GRACE = 3000;

/** Longest time that a thread may take to start, on a machine that has much to do. */
const START = 20_000;

/** Longest time for a session to end: longer than an SDK takes to ask a subprocess to go, and to kill it. */
const CLOSE_TIMEOUT = 8000;

/** The stack of a user's main thread: 984 KB, and what V8 sets aside in a worker. */
const STACK_MB = (984 + 192) / 1024;

export class Player {
  #worker;

  /** @type {Set<number>} the processes that the thread has started */
  #children = new Set();

  /** @type {(news: News) => void} */
  #hear = () => {};

  /** @type {(error: PeerError) => void} */
  #fail = () => {};

  /** @param {URL} module of a {@link Client} */
  constructor(module) {
    this.#worker = new Worker(new URL("./thread.js", import.meta.url), {
      workerData: module.href,
      stdout: true,
      resourceLimits: { stackSizeMb: STACK_MB },
    });
    this.#worker.stdout.pipe(process.stderr, { end: false });
    this.#worker.on("message", (news) => this.#hear(news));
    // Nobody could have caught this: it would have ended the user's process.
    this.#worker.on("error", ({ message }) =>
      this.#fail(failed("decode", `uncaught: ${message}`)),
    );
    this.#worker.on("exit", () =>
      this.#fail(failed("decode", "the client ended its thread")),
    );
  }

  /**
   * Plays a job, and gives its answer.
   *
   * @param {Job} job
   * @param {(answer: Answer) => void} give
   * @returns {Promise<boolean>} whether another one can be played
   */
  async play(job, give) {
    const { connect_ms, step_ms } = job.deadlines;
    const known = new Known(job, give);
    /** @type {NodeJS.Timeout | undefined} */
    let timer;

    /** @param {number} ms until the thread must have sent a message */
    const wait = (ms) => {
      clearTimeout(timer);
      const late = failed("timeout", "the client never let go of its thread");
      timer = setTimeout(() => this.#fail(late), ms + LATE_GRACE);
    };

    const error = await new Promise((resolve) => {
      this.#fail = resolve;
      this.#hear = (news) => {
        if (news.started) this.#children.add(news.started);
        if (news.ended) this.#children.delete(news.ended);
        if (news.begun) wait(connect_ms);
        if (news.part) {
          known.add(JSON.parse(news.part));
          wait(step_ms + CHANGE_TIMEOUT);
        }
        if (news.complete) {
          known.close();
          wait(CLOSE_TIMEOUT);
        }
        if (news.closed) resolve(undefined);
      };
      wait(START);
      this.#worker.postMessage(job);
    });
    clearTimeout(timer);
    if (error) {
      known.close(error);
      this.end();
    }
    kill(this.#children);
    return error === undefined;
  }

  /** Ends the thread, and the processes that it has started. */
  end() {
    kill(this.#children);
    this.#worker.terminate();
  }
}

/** Known part of a job's answer. */
class Known {
  #job;
  #give;
  #isOpen = false;
  #isGiven = false;

  /** @type {Answer} */
  #answer;

  /**
   * @param {Job} job
   * @param {(answer: Answer) => void} give
   */
  constructor(job, give) {
    this.#job = job;
    this.#give = give;
    this.#answer = { id: job.id, steps: [] };
  }

  /** @param {Part} part */
  add({ negotiated, error, steps = [] }) {
    this.#isOpen ||= !error;
    this.#answer.error = error;
    this.#answer.negotiated ??= negotiated;
    this.#answer.steps.push(...steps);
  }

  /**
   * Gives the answer, if that was not done before.
   *
   * @param {PeerError} [error] why nothing more will be known
   */
  close(error) {
    if (this.#isGiven) return;
    this.#isGiven = true;
    const { steps } = this.#answer;
    if (error && !this.#isOpen) this.#answer.error ??= error;
    while (error && this.#isOpen && steps.length < this.#job.steps.length) {
      steps.push({ error });
    }
    this.#give(this.#answer);
  }
}

/**
 * Knows the processes that an SDK starts, so that none outlives the session it was started for.
 *
 * SDKs end their servers themselves, and are left to: this is for those that stay. Older releases neither tell the id of
 * the process nor look whether it has gone.
 */

import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

/**
 * Watches the processes that this thread starts.
 *
 * @param {(pid: number) => void} started
 * @param {(pid: number) => void} ended
 */
export function watch(started, ended) {
  const { spawn } = childProcess;
  childProcess.spawn = /** @type {typeof spawn} */ (
    (/** @type {Parameters<typeof spawn>} */ ...command) => {
      const child = spawn(...command);
      const { pid } = child;
      if (pid !== undefined) {
        started(pid);
        child.once("exit", () => ended(pid));
      }
      return child;
    }
  );
  syncBuiltinESMExports();
}

/**
 * Ends those that are still there.
 *
 * @param {Set<number>} pids
 */
export function kill(pids) {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has gone by itself.
    }
  }
  pids.clear();
}

/** The thread in which scripts are rehearsed: it says when it is ready, and when it is done with each. */

import { parentPort, workerData } from "node:worker_threads";

const { rehearse } = await import(workerData);

parentPort?.on("message", async (script) => {
  try {
    await rehearse(script);
  } catch {
    // The reason is given when the script is about to be served.
  }
  parentPort?.postMessage("done");
});
parentPort?.postMessage("ready");

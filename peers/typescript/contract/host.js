/** The HTTP server's loop: a script a line, each served at its own path of one listener. */

import { createServer } from "node:http";

import { Unsupported, read } from "./exact.js";
import { known } from "./job.js";
import { leave, lines, say, serveMany } from "./lines.js";
import { script as scriptOf } from "./script.js";

/** @import { Rehearsal } from "./rehearsal.js" */
/** @import { Script } from "./script.js" */
/** @import { IncomingMessage, ServerResponse } from "node:http" */

/**
 * One script at its path, served by an SDK.
 *
 * @typedef {object} Endpoint
 * @property {(request: IncomingMessage, response: ServerResponse) => unknown} handle
 * @property {() => Promise<unknown>} close ends its sessions
 */

/**
 * Serves scripts until the input ends.
 *
 * @param {(script: Script) => Endpoint | Promise<Endpoint>} serve makes an endpoint of a script, or throws `Unsupported`
 * @param {Rehearsal} [rehearsal] for an SDK that may hold its thread
 */
export async function host(serve, rehearsal) {
  serveMany();
  /** @type {Map<string, Endpoint>} */
  const paths = new Map();
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const endpoint = paths.get(pathOf(request));
    if (endpoint) endpoint.handle(request, response);
    else response.writeHead(404).end();
  });
  const listening = new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve(server.address())),
  );
  const { port } = await listening;
  process.stdout.write(`http://127.0.0.1:${port}\n`);

  for await (const line of lines()) {
    const { id, path } = JSON.parse(line);
    const former = paths.get(path);
    paths.delete(path);
    former?.close().catch((error) => console.error(error));
    try {
      const hosting = /** @type {any} */ (read(line));
      known("this adapter", hosting, ["id", "path", "script"]);
      const script = hosting.script && scriptOf(hosting.script);
      if (script && rehearsal && !(await rehearsal.passes(script))) {
        throw new Unsupported(
          "the SDK would block the thread that serves all sessions",
        );
      }
      if (script) paths.set(path, await serve(script));
      say({ id });
    } catch (error) {
      // A loop that has ended would leave a process that answers nothing.
      if (!(error instanceof Unsupported)) {
        console.error(error);
        process.exit(1);
      }
      say({ id, unsupported: error.message });
    }
  }
  leave();
}

/** @param {IncomingMessage} request */
function pathOf({ url = "/" }) {
  return new URL(url, "http://127.0.0.1").pathname;
}

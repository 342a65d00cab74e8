/**
 * The SDK's server behind the peer contract: over stdio, or with `--http`; its low-level API, or with `--typed` that of
 * `McpServer`.
 */

import { serveStdio } from "../contract/script.js";

const typed = process.argv.includes("--typed");
const { scripted } = await import(typed ? "./typed.js" : "./low-level.js");

if (process.argv.includes("--http")) {
  const { host } = await import("../contract/host.js");
  const { endpoint } = await import("./endpoint.js");
  const { Rehearsal } = await import("../contract/rehearsal.js");
  await host(
    (script) => endpoint(scripted(script, "many sessions")),
    typed ? new Rehearsal(new URL("./typed.js", import.meta.url)) : undefined,
  );
} else {
  const { serveStdio: serve } =
    await import("@modelcontextprotocol/server/stdio");
  await serveStdio(async (script) => {
    const { server } = scripted(script, "one session");
    serve(() => server());
  });
}

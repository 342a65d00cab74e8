/**
 * The SDK's server behind the peer contract: over stdio, or with `--http`; its low-level API, or with `--typed` that of
 * `McpServer`.
 */

import { serveStdio } from "../contract/script.js";

const typed = process.argv.includes("--typed");
const { scripted } = await import(typed ? "./typed.js" : "./low-level.js");

if (process.argv.includes("--http")) {
  const { host } = await import("../contract/host.js");
  const { sessions } = await import("./sessions.js");
  const { Rehearsal } = await import("../contract/rehearsal.js");
  await host(
    (script) => sessions(scripted(script, "many sessions")),
    typed ? new Rehearsal(new URL("./typed.js", import.meta.url)) : undefined,
  );
} else {
  const { StdioServerTransport } =
    await import("@modelcontextprotocol/sdk/server/stdio.js");
  await serveStdio(async (script) => {
    const server = scripted(script, "one session")();
    await server.connect(new StdioServerTransport());
  });
}

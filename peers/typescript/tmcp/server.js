/**
 * The SDK's server behind the peer contract: over stdio, or with `--http`; with JSON Schemas, or with `--typed` with Zod
 * types.
 */

import { serveStdio } from "../contract/script.js";
import { scripted } from "./scripted.js";

const typed = process.argv.includes("--typed");
const schemas = await import(typed ? "./zod.js" : "./json-schema.js");

if (process.argv.includes("--http")) {
  const { host } = await import("../contract/host.js");
  const { endpoint } = await import("./endpoint.js");
  const { Rehearsal } = await import("../contract/rehearsal.js");
  await host(
    async (script) =>
      endpoint(await scripted(script, "many sessions", schemas)),
    typed ? new Rehearsal(new URL("./zod.js", import.meta.url)) : undefined,
  );
} else {
  const { StdioTransport } = await import("@tmcp/transport-stdio");
  await serveStdio(async (script) => {
    const newServer = await scripted(script, "one session", schemas);
    new StdioTransport(newServer()).listen();
  });
}

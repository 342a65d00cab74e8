/** A session with the SDK's client, through its public API only. */

import { createMCPClient } from "@ai-sdk/mcp";
import { StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";

import { Changes } from "../contract/changes.js";

/** @import { Session } from "../contract/play.js" */
/** @import { Job, ServerAddress } from "../contract/job.js" */
/** @import { MCPClient } from "@ai-sdk/mcp" */

/**
 * The session uses `listTools` and `callTool`. The tools that `tools()` makes for a model call `callTool` and return its
 * result.
 *
 * @implements {Session}
 */
class SdkSession {
  /** The SDK tells its user of no change: it takes every notification for an error. */
  changes = new Changes();
  #job;
  #opening = new AbortController();

  /** @type {MCPClient | undefined} */
  #client;

  /** @param {Job} job */
  constructor(job) {
    this.#job = job;
  }

  async connect() {
    const { server, mode } = this.#job;
    this.#client = await createMCPClient({
      transport: transportTo(server),
      protocolVersionDiscovery: mode !== "legacy",
      initializationOptions: { signal: this.#opening.signal },
      onUncaughtError: (error) => console.error(error),
    });
  }

  negotiated() {
    return this.#client?.initializeResult.protocolVersion;
  }

  /** Follows the pages as `tools()` does. */
  async list() {
    const client = this.#connected();
    let page = await client.listTools();
    const tools = [...page.tools];
    while (page.nextCursor !== undefined) {
      page = await client.listTools({ params: { cursor: page.nextCursor } });
      tools.push(...page.tools);
    }
    return tools;
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} args
   */
  async call(name, args) {
    return this.#connected().callTool({ name, arguments: args });
  }

  async close() {
    this.#opening.abort();
    await this.#client?.close();
  }

  #connected() {
    if (!this.#client) throw new Error("there is no session");
    return this.#client;
  }
}

/** @param {ServerAddress} server */
function transportTo(server) {
  if ("http" in server) {
    return { type: /** @type {const} */ ("http"), url: server.http.url };
  }
  const [command, ...args] = server.stdio.command;
  return new StdioMCPTransport({ command, args, env: server.stdio.env });
}

export { peerError } from "./errors.js";

/** @param {Job} job */
export function open(job) {
  return new SdkSession(job);
}

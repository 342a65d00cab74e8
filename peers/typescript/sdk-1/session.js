/** A session with the SDK's client, through its public API only. */

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

import { Changes } from "../contract/changes.js";
import { close } from "../contract/closing.js";

/** @import { Session } from "../contract/play.js" */
/** @import { Job, ServerAddress } from "../contract/job.js" */

/** Over stdio, the client says which revision it speaks only to a transport that wants to know. */
class StdioTransport extends StdioClientTransport {
  /** @type {string | undefined} */
  protocolVersion;

  /** @param {string} version */
  setProtocolVersion(version) {
    this.protocolVersion = version;
  }
}

/** @implements {Session} */
class SdkSession {
  changes = new Changes();
  #client = new Client({ name: "mcp-compat", version: "1.0.0" });
  #transport;

  /** @param {ServerAddress} server */
  constructor(server) {
    this.#transport = transportTo(server);
    this.#client.setNotificationHandler(
      ToolListChangedNotificationSchema,
      this.changes.tell,
    );
  }

  async connect() {
    await this.#client.connect(this.#transport);
  }

  /** Releases before 1.13.0 do not say. */
  negotiated() {
    return this.#transport.protocolVersion;
  }

  async list() {
    const tools = [];
    /** @type {string | undefined} */
    let cursor;
    do {
      const page = await this.#client.listTools(cursor ? { cursor } : {});
      tools.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return tools;
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} args
   */
  async call(name, args) {
    return this.#client.callTool({ name, arguments: args });
  }

  async close() {
    await close(this.#client, this.#transport);
  }
}

/** @param {ServerAddress} server */
function transportTo(server) {
  if ("http" in server) {
    return new StreamableHTTPClientTransport(new URL(server.http.url));
  }
  const [command, ...args] = server.stdio.command;
  return new StdioTransport({ command, args, env: server.stdio.env });
}

export { peerError } from "./errors.js";

/** @param {Job} job */
export function open({ server }) {
  return new SdkSession(server);
}

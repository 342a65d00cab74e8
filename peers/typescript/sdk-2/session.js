/** A session with the SDK's client, through its public API only. */

import {
  Client,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { Changes } from "../contract/changes.js";
import { close } from "../contract/closing.js";

/** @import { Job, Mode, ServerAddress } from "../contract/job.js" */
/** @import { Session } from "../contract/play.js" */
/** @import { VersionNegotiationMode } from "@modelcontextprotocol/client" */

/**
 * Modes of negotiation. Without a mode, the client uses its own default, which is `legacy`.
 *
 * @type {Record<Mode, VersionNegotiationMode>}
 */
const MODES = { legacy: "legacy", auto: "auto", modern: { pin: "2026-07-28" } };

/** @implements {Session} */
class SdkSession {
  changes = new Changes();
  #client;
  #transport;
  #waitsForChange;

  /** @param {Job} job */
  constructor({ server, mode, steps }) {
    const options = mode && { versionNegotiation: { mode: MODES[mode] } };
    this.#client = new Client(
      { name: "mcp-compat", version: "1.0.0" },
      options,
    );
    this.#transport = transportTo(server);
    this.#waitsForChange = steps.some(({ evolve }) => evolve?.told);
    this.#client.setNotificationHandler(
      "notifications/tools/list_changed",
      this.changes.tell,
    );
  }

  async connect() {
    await this.#client.connect(this.#transport);
    // In the modern era only subscribers are notified of a change.
    if (this.#waitsForChange && this.#client.getProtocolEra() === "modern") {
      await this.#client
        .listen({ toolsListChanged: true })
        .catch((error) => console.error("no subscription:", error));
    }
  }

  negotiated() {
    return this.#client.getNegotiatedProtocolVersion();
  }

  /** The client follows the pages itself. */
  async list() {
    const { tools } = await this.#client.listTools();
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
  return new StdioClientTransport({ command, args, env: server.stdio.env });
}

export { peerError } from "./errors.js";

/** @param {Job} job */
export function open(job) {
  return new SdkSession(job);
}

/** One path of the HTTP server: a transport of the SDK, and a server, for each session. */

import { randomUUID } from "node:crypto";

import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

/** @import { Endpoint } from "../contract/host.js" */
/** @import { Transport } from "@modelcontextprotocol/sdk/shared/transport.js" */

/**
 * @typedef {object} Server of either API
 * @property {(transport: Transport) => Promise<void>} connect
 */

/**
 * @param {() => Server} newServer
 * @returns {Endpoint}
 */
export function sessions(newServer) {
  /** @type {Map<string, StreamableHTTPServerTransport>} */
  const transports = new Map();

  async function open() {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        transports.set(id, transport);
      },
    });
    transport.onclose = () => transports.delete(transport.sessionId ?? "");
    await newServer().connect(transport);
    return transport;
  }

  return {
    async handle(request, response) {
      const id = request.headers["mcp-session-id"];
      // A request without a session opens one, or a new transport refuses it.
      const known = typeof id === "string" ? transports.get(id) : undefined;
      if (id !== undefined && !known) {
        response.writeHead(404).end("Session not found");
        return;
      }
      const transport = known ?? (await open());
      await transport.handleRequest(request, response);
    },
    async close() {
      await Promise.all([...transports.values()].map((one) => one.close()));
    },
  };
}

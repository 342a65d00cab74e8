/**
 * One path of the HTTP server.
 *
 * The SDK has one set of tools for all sessions of a server. A script begins anew with each session, so that each has a
 * server of its own; the requests of the era without sessions share one.
 */

import { randomUUID } from "node:crypto";

import { getRequestListener } from "@hono/node-server";
import { HttpTransport } from "@tmcp/transport-http";
import { getPerRequestProtocolVersions } from "tmcp";

/** @import { McpServer } from "tmcp" */
/** @import { Endpoint } from "../contract/host.js" */

/**
 * @param {() => McpServer<any>} newServer
 * @returns {Endpoint}
 */
export function endpoint(newServer) {
  const shared = new HttpTransport(newServer(), { path: null });
  /** @type {Map<string, HttpTransport<any>>} */
  const sessions = new Map();

  /** @param {Headers} headers */
  function transportOf(headers) {
    const id = headers.get("mcp-session-id");
    // The SDK takes any id of a session, and so does this one.
    if (id !== null) return sessions.get(id) ?? shared;
    const revision = headers.get("mcp-protocol-version") ?? "";
    if (getPerRequestProtocolVersions().includes(revision)) return shared;
    const own = randomUUID();
    const transport = new HttpTransport(newServer(), {
      path: null,
      getSessionId: () => own,
    });
    sessions.set(own, transport);
    return transport;
  }

  const handle = getRequestListener(
    async (request) => {
      const response = await transportOf(request.headers).respond(request);
      return response ?? new Response(null, { status: 404 });
    },
    { overrideGlobalObjects: false },
  );
  return {
    handle,
    close: () =>
      Promise.all([shared, ...sessions.values()].map((one) => one.close())),
  };
}

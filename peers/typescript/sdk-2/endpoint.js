/** One path of the HTTP server, with the SDK's handler for both eras. */

import { getRequestListener } from "@hono/node-server";
import { createMcpHandler } from "@modelcontextprotocol/server";

/** @import { Endpoint } from "../contract/host.js" */
/** @import { McpServer, Server } from "@modelcontextprotocol/server" */

/**
 * A script in the SDK's hands.
 *
 * @typedef {object} Scripted
 * @property {(tellAll?: () => void) => McpServer | Server} server
 *   makes a server of it; all of them share its progress. `tellAll` tells of a change those who have asked for it, where
 *   a server lives for one request only
 */

/**
 * @param {Scripted} scripted
 * @returns {Endpoint}
 */
export function endpoint({ server }) {
  const handler = createMcpHandler(() =>
    server(() => handler.notify.toolsChanged()),
  );
  const handle = getRequestListener((request) => handler.fetch(request), {
    overrideGlobalObjects: false,
  });
  return { handle, close: () => handler.close() };
}

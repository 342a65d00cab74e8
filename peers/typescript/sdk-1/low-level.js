/** A script offered with the SDK's low-level `Server`. */

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";

import { Offer, perform } from "../contract/offer.js";
import { types } from "./types.js";

/** @import { Process } from "../contract/offer.js" */
/** @import { Script } from "../contract/script.js" */

/**
 * Prepares a script; what is returned makes the server of one session.
 *
 * @param {Script} script
 * @param {Process} process
 */
export function scripted(script, process) {
  const offer = new Offer(script, process, types);
  return () => serverOf(offer);
}

/** @param {Offer} offer */
function serverOf(offer) {
  let stage = 0;
  const server = new Server(
    { name: "mcp-compat", version: "1.0.0" },
    { capabilities: { tools: offer.changes ? { listChanged: true } : {} } },
  );

  async function evolve() {
    stage += 1;
    if (offer.stage(stage).told) await server.sendToolListChanged();
  }

  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const page = offer.page(stage, params?.cursor);
    if (page) return page;
    throw new McpError(ErrorCode.InvalidParams, "no page has this cursor");
  });
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name } }) => {
    const tool = offer.tool(stage, name);
    if (tool) return perform(tool, evolve);
    throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
  });
  return server;
}

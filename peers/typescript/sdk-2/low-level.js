/** A script offered with the SDK's low-level `Server`. */

import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from "@modelcontextprotocol/server";

import { Offer, perform } from "../contract/offer.js";
import { types } from "./types.js";

/** @import { Process } from "../contract/offer.js" */
/** @import { Script } from "../contract/script.js" */
/** @import { Scripted } from "./endpoint.js" */

/**
 * Prepares a script.
 *
 * @param {Script} script
 * @param {Process} process
 * @returns {Scripted}
 */
export function scripted(script, process) {
  const offer = new Offer(script, process, types);
  const progress = { stage: 0 };
  return { server: (tellAll) => serverOf(offer, progress, tellAll) };
}

/**
 * @param {Offer} offer
 * @param {{stage: number}} progress
 * @param {() => void} [tellAll]
 */
function serverOf(offer, progress, tellAll) {
  const server = new Server(
    { name: "mcp-compat", version: "1.0.0" },
    { capabilities: { tools: offer.changes ? { listChanged: true } : {} } },
  );

  async function evolve() {
    progress.stage += 1;
    if (!offer.stage(progress.stage).told) return;
    if (tellAll) tellAll();
    else await server.sendToolListChanged();
  }

  server.setRequestHandler("tools/list", ({ params }) => {
    const page = offer.page(progress.stage, params?.cursor);
    if (page) return page;
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      "no page has this cursor",
    );
  });
  server.setRequestHandler("tools/call", async ({ params: { name } }) => {
    const tool = offer.tool(progress.stage, name);
    if (!tool) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Unknown tool: ${name}`,
      );
    }
    const { outputSchema } = /** @type {Record<string, any>} */ (
      tool.definition
    );
    // In the legacy era the SDK wraps what is no object in the list, and has the handler ask for it in a result.
    const result = await perform(tool, evolve);
    return server.projectCallToolResult(result, outputSchema);
  });
  return server;
}

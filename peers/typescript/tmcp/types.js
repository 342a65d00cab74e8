/** The SDK's type of a result, which it does not export: what it makes of the results of a script. */

import { McpServer } from "tmcp";

/** @import { Types } from "../contract/offer.js" */
/** @import { Script } from "../contract/script.js" */

/**
 * Reads the results of a script with the SDK.
 *
 * @param {Script} script
 * @returns {Promise<Types>}
 */
export async function typesOf({ stages }) {
  const read = new Map();
  for (const { reply } of stages.flatMap(({ tools }) => tools)) {
    if (reply.result) read.set(reply.result, await sent(reply.result));
  }
  return {
    // Nothing is validated of what a tool lists.
    tool: (definition) => definition,
    result(value) {
      const { result, error } = read.get(value);
      if (error) throw new Error(error.message);
      return result;
    },
    list: () => ({ tools: [] }),
  };
}

/**
 * Returns the SDK's answer to a call of a tool without a schema that returns this.
 *
 * @param {any} result
 * @returns {Promise<any>}
 */
async function sent(result) {
  const server = new McpServer(
    { name: "mcp-compat", version: "1.0.0", description: "" },
    { adapter: undefined, capabilities: { tools: {} } },
  );
  server.tool({ name: "one", description: "" }, () => result);
  return server.receive({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "one" },
  });
}

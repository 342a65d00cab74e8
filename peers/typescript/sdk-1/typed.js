/** A script offered with the SDK's typed API: `McpServer.registerTool`, with Zod types. */

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
// The one that the SDK depends on, and whose types its API takes.
import { z } from "zod";

import { Unsupported } from "../contract/exact.js";
import { Offer, perform } from "../contract/offer.js";
import { requireRegistrable } from "../contract/zod.js";
import { takesAnyOutput, types } from "./types.js";
import { shapeOf, typeOf } from "./zod.js";

/** @import { Process } from "../contract/offer.js" */
/** @import { Script, ScriptedTool } from "../contract/script.js" */

/** Members of a definition that `registerTool` takes. */
const MEMBERS = [
  "name",
  "title",
  "description",
  "inputSchema",
  "outputSchema",
  "annotations",
  "_meta",
];

/**
 * Prepares a script; what is returned makes the server of one session.
 *
 * @param {Script} script
 * @param {Process} process
 */
export function scripted(script, process) {
  const offer = new Offer(script, process, types);
  if (!("registerTool" in McpServer.prototype)) {
    throw new Unsupported("this release does not have registerTool");
  }
  requireRegistrable(offer, MEMBERS, true);
  // All stages are made first: that shows which schemas have no Zod type.
  const made = offer.stages.map(({ tools }) =>
    tools.map((tool) => ({ tool, config: configOf(tool) })),
  );
  return () => serverOf(made);
}

/** @param {ScriptedTool} tool */
function configOf({ definition }) {
  const { name, inputSchema, outputSchema, ...config } =
    /** @type {Record<string, any>} */ (definition);
  const input = shapeOf(inputSchema);
  return {
    ...config,
    // A tool without parameters is registered without their schema.
    inputSchema: Object.keys(input).length > 0 ? input : undefined,
    outputSchema: outputSchema && outputOf(outputSchema),
  };
}

/**
 * An output schema as `registerTool` takes it: the members of an object, or any type.
 *
 * @param {Record<string, any>} schema
 */
function outputOf(schema) {
  if (takesAnyOutput) return typeOf(schema);
  if (!schema.properties) {
    throw new Unsupported(
      "registerTool cannot declare an object with open members",
    );
  }
  return shapeOf(schema);
}

/**
 * Does once what `McpServer` does with each result: it validates it.
 *
 * @param {Script} script
 */
export function rehearse({ stages }) {
  for (const tool of stages.flatMap(({ tools }) => tools)) {
    const { outputSchema } = configOf(tool);
    const { structuredContent } = tool.reply.result ?? {};
    if (!outputSchema) continue;
    const type = takesAnyOutput ? outputSchema : z.object(outputSchema);
    type.safeParse(structuredContent);
  }
}

/** @param {{tool: ScriptedTool, config: ReturnType<typeof configOf>}[][]} stages */
function serverOf(stages) {
  const server = new McpServer({ name: "mcp-compat", version: "1.0.0" });
  let stage = 0;
  let registered = register();

  function register() {
    const tools = stages[Math.min(stage, stages.length - 1)];
    return tools.map(({ tool, config }) =>
      server.registerTool(tool.name, config, () => perform(tool, evolve)),
    );
  }

  /** Goes to the next stage. The SDK notifies its client of each removal and each registration. */
  async function evolve() {
    stage += 1;
    for (const tool of registered) tool.remove();
    registered = register();
  }

  return server;
}

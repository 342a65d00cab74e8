/**
 * A script offered with the SDK's typed API: `McpServer.registerTool`, with Zod types as its users write them. A schema
 * that Zod does not say as it is goes in by `fromJsonSchema`, as the SDK advises.
 */

import { McpServer, fromJsonSchema } from "@modelcontextprotocol/server";

import { Unsupported } from "../contract/exact.js";
import { Offer, perform } from "../contract/offer.js";
import { requireRegistrable } from "../contract/zod.js";
import { types } from "./types.js";
import { objectOf } from "./zod.js";

/** @import { Process } from "../contract/offer.js" */
/** @import { Script, ScriptedTool } from "../contract/script.js" */
/** @import { Scripted } from "./endpoint.js" */

/** Members of a definition that `registerTool` takes. */
const MEMBERS = [
  "name",
  "title",
  "description",
  "inputSchema",
  "outputSchema",
  "annotations",
  "icons",
  "_meta",
];

/**
 * Prepares a script.
 *
 * @param {Script} script
 * @param {Process} process
 * @returns {Scripted}
 */
export function scripted(script, process) {
  const offer = new Offer(script, process, types);
  // A server that lives for one request is made with the tools of the time, and its maker notifies clients of changes.
  requireRegistrable(offer, MEMBERS, process === "one session");
  const made = offer.stages.map(({ tools, told }) => ({
    told,
    tools: tools.map((tool) => ({ tool, config: configOf(tool) })),
  }));
  const progress = { stage: 0 };
  return { server: (tellAll) => serverOf(made, progress, tellAll) };
}

/** @param {ScriptedTool} tool */
function configOf({ definition }) {
  const { name, inputSchema, outputSchema, ...config } =
    /** @type {Record<string, any>} */ (definition);
  return {
    ...config,
    inputSchema: schemaOf(inputSchema),
    outputSchema: outputSchema && schemaOf(outputSchema),
  };
}

/**
 * Does once what `McpServer` does with each result: it validates it.
 *
 * @param {Script} script
 */
export async function rehearse({ stages }) {
  for (const tool of stages.flatMap(({ tools }) => tools)) {
    const { outputSchema } = configOf(tool);
    const { structuredContent } = tool.reply.result ?? {};
    await outputSchema?.["~standard"].validate(structuredContent);
  }
}

/** @param {Record<string, unknown>} schema */
function schemaOf(schema) {
  try {
    return objectOf(schema);
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
  }
  try {
    return fromJsonSchema(schema);
  } catch (error) {
    throw new Unsupported(`the SDK rejects the schema (${error})`);
  }
}

/**
 * @param {{told?: boolean, tools: {tool: ScriptedTool, config: ReturnType<typeof configOf>}[]}[]} stages
 * @param {{stage: number}} progress
 * @param {() => void} [tellAll]
 */
function serverOf(stages, progress, tellAll) {
  const server = new McpServer({ name: "mcp-compat", version: "1.0.0" });
  let registered = register();

  function current() {
    return stages[Math.min(progress.stage, stages.length - 1)];
  }

  function register() {
    return current().tools.map(({ tool, config }) =>
      server.registerTool(tool.name, config, () => perform(tool, evolve)),
    );
  }

  /** Goes to the next stage. A server that is kept notifies its client of each removal and each registration. */
  async function evolve() {
    progress.stage += 1;
    if (tellAll) {
      if (current().told) tellAll();
      return;
    }
    for (const tool of registered) tool.remove();
    registered = register();
  }

  return server;
}

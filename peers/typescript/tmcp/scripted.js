/** A script offered with the SDK's `McpServer`. */

import { McpError, McpServer } from "tmcp";

import { Unsupported } from "../contract/exact.js";
import { known } from "../contract/job.js";
import { Offer, perform } from "../contract/offer.js";
import { typesOf } from "./types.js";

/** @import { Process } from "../contract/offer.js" */
/** @import { Script, ScriptedTool } from "../contract/script.js" */
/** @import { StandardSchemaV1 } from "@standard-schema/spec" */
/** @import { JsonSchemaAdapter } from "tmcp/adapter" */

/** @typedef {StandardSchemaV1<Record<string, unknown>>} Standard */

/**
 * Schemas of a kind: as JSON Schema, or as Zod types.
 *
 * @typedef {object} Schemas
 * @property {JsonSchemaAdapter<any>} adapter of the SDK
 * @property {(schema: any) => Standard} schemaOf writes a schema as a Standard Schema
 * @property {(schema: any) => Standard | undefined} inputOf the same for the parameters of a tool
 */

/** Members of a definition that a tool of the SDK has. */
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
 * Prepares a script; what is returned makes a server of it.
 *
 * @param {Script} script
 * @param {Process} process
 * @param {Schemas} schemas
 * @returns {Promise<() => McpServer<any>>}
 */
export async function scripted(script, process, schemas) {
  const offer = new Offer(script, process, await typesOf(script));
  const told = requireTold(offer);
  const made = offer.stages.map(({ tools }) => {
    requireNames(tools);
    return tools.map((tool) => ({ tool, config: configOf(tool, schemas) }));
  });
  return () => {
    const server = new McpServer(
      { name: "mcp-compat", version: "1.0.0", description: "" },
      {
        adapter: schemas.adapter,
        capabilities: { tools: told ? { listChanged: true } : {} },
        ...(script.page_size && {
          pagination: { tools: { size: script.page_size } },
        }),
      },
    );
    offerTo(server, made);
    return server;
  };
}

/**
 * Returns whether the server notifies clients of changes. The SDK does so for each tool that is added, or for none.
 *
 * @param {Offer} offer
 */
function requireTold({ stages }) {
  const [told, ...others] = stages.slice(1).map((stage) => stage.told === true);
  if (others.some((other) => other !== told)) {
    throw new Unsupported("tmcp notifies of every change of tools, or of none");
  }
  return told === true;
}

/** @param {ScriptedTool[]} tools */
function requireNames(tools) {
  const names = new Set(tools.map(({ name }) => name));
  if (names.size < tools.length) {
    throw new Unsupported("tmcp keeps one tool of a name");
  }
}

/**
 * @param {ScriptedTool} tool
 * @param {Schemas} schemas
 */
function configOf({ definition }, { inputOf, schemaOf }) {
  known("tmcp", definition, MEMBERS);
  const { inputSchema, outputSchema, ...config } =
    /** @type {Record<string, any>} */ (definition);
  if (inputSchema === undefined) {
    throw new Unsupported("tmcp lists an inputSchema with every tool");
  }
  return /** @type {any} */ ({
    ...config,
    schema: inputOf(inputSchema),
    ...(outputSchema !== undefined && { outputSchema: schemaOf(outputSchema) }),
  });
}

/**
 * Gives a server the tools of the first stage, and later those of the next ones. The SDK replaces a tool by one of the
 * same name, and leaves out of the list what is not enabled; a tool cannot be taken away.
 *
 * @param {McpServer<any>} server
 * @param {{tool: ScriptedTool, config: any}[][]} stages
 */
function offerTo(server, stages) {
  let stage = 0;
  add();

  function current() {
    return stages[Math.min(stage, stages.length - 1)];
  }

  function add() {
    for (const { tool, config } of current()) {
      const enabled = () => current().some((one) => one.tool === tool);
      server.tool({ ...config, enabled }, async () => {
        if (!enabled()) {
          throw new McpError(-32602, `Unknown tool: ${tool.name}`);
        }
        return answered(tool, evolve);
      });
    }
  }

  async function evolve() {
    stage += 1;
    add();
    if (current().length === 0) server.changed("tools");
  }
}

/**
 * Does what a call of a tool answers. An error has the message of the script: the SDK's class puts words before it.
 *
 * @param {ScriptedTool} tool
 * @param {() => Promise<void>} evolve
 */
async function answered(tool, evolve) {
  const { error } = tool.reply;
  if (!error) return perform(tool, evolve);
  const { code, message, data } = error;
  throw Object.assign(new McpError(code, message, data), { message });
}

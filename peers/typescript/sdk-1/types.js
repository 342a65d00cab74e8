/** The SDK's types of what a script says: what they refuse, or give back otherwise, its user cannot send. */

import {
  CallToolResultSchema,
  ListToolsResultSchema,
  ToolSchema,
} from "@modelcontextprotocol/sdk/types.js";

/** @import { Types } from "../contract/offer.js" */

/** Releases in which a tool may declare an output that is no object: the fork of SEP-2106. */
export const takesAnyOutput = ToolSchema.safeParse({
  name: "any",
  inputSchema: { type: "object" },
  outputSchema: { type: "array" },
}).success;

/** @type {Types} */
export const types = {
  tool: reading(ToolSchema),
  result: reading(CallToolResultSchema),
  list: reading(ListToolsResultSchema),
};

/**
 * A schema of Zod, of whichever version the release depends on.
 *
 * @typedef {object} Schema
 * @property {(value: unknown) => {data?: unknown, error?: {issues: {path: PropertyKey[], message: string}[]}}} safeParse
 */

/**
 * @param {Schema} schema
 * @returns {(value: unknown) => unknown}
 */
function reading(schema) {
  return (value) => {
    const { data, error } = schema.safeParse(value);
    if (!error) return data;
    const [{ path, message }] = error.issues;
    throw new Error(`/${path.join("/")}: ${message}`);
  };
}

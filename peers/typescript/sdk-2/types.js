/** The SDK's types of what a script says: what they refuse, or give back otherwise, its user cannot send. */

import { specTypeSchemas } from "@modelcontextprotocol/server";

/** @import { Types } from "../contract/offer.js" */

/** @type {Types} */
export const types = {
  tool: reading("Tool"),
  result: reading("CallToolResult"),
  list: reading("ListToolsResult"),
};

/**
 * @param {"Tool" | "CallToolResult" | "ListToolsResult"} name
 * @returns {(value: unknown) => unknown}
 */
function reading(name) {
  return (value) => {
    const read = specTypeSchemas[name]["~standard"].validate(value);
    if (read instanceof Promise) throw new Error("the type takes its time");
    if (!read.issues) return read.value;
    const [{ path = [], message }] = read.issues;
    throw new Error(`/${path.join("/")}: ${message}`);
  };
}

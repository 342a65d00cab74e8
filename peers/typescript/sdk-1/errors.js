/** Classification of the SDK's errors by the layer of the client in which they arose. */

import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";

import { failed } from "../contract/answer.js";

/** @import { Layer, PeerError } from "../contract/answer.js" */

/**
 * The SDK raises what it finds itself as it raises an error of the server, with the codes of JSON-RPC. Only the words
 * tell them apart.
 *
 * @type {[RegExp, Layer][]}
 */
const OWN = [
  [/^MCP error -32001: Request timed out$/, "timeout"],
  [/^MCP error -32000: Connection closed$/, "connect"],
  [/^MCP error -32600: Tool .* has an output schema but did not /s, "validate"],
  [/^MCP error -32602: Structured content does not match /, "validate"],
  [/^MCP error -32602: Failed to validate structured content/, "validate"],
];

/**
 * @param {unknown} error
 * @returns {PeerError}
 */
export function peerError(error) {
  if (error instanceof McpError) {
    const own = OWN.find(([words]) => words.test(error.message));
    if (own) return failed(own[1], error);
    return failed("protocol", error, error.code);
  }
  if (error instanceof StreamableHTTPError) {
    // Among the statuses of HTTP, -1 stands for a body of an unexpected type.
    return failed(error.code === -1 ? "decode" : "connect", error);
  }
  if (isOfConnection(error)) return failed("connect", error);
  return failed(isOfReading(error) ? "decode" : "validate", error);
}

/**
 * No transport any more, or `fetch` that found nobody, or lost the body.
 *
 * @param {unknown} error
 */
function isOfConnection(error) {
  return (
    error instanceof Error &&
    (error.name === "AbortError" ||
      /^(Not connected|fetch failed|terminated)$/.test(error.message))
  );
}

/**
 * A body that is no JSON, or a message that its schema refuses. What remains is a schema of a tool that the validator
 * does not take; an error of its regular expressions looks like one of JSON.
 *
 * @param {unknown} error
 */
function isOfReading(error) {
  return (
    error instanceof Error &&
    (error.name === "ZodError" ||
      error.name === "$ZodError" ||
      (error instanceof SyntaxError &&
        !error.message.startsWith("Invalid regular expression")))
  );
}

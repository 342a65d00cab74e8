/** Classification of the SDK's errors by the layer of the client in which they arose. */

import { MCPClientError } from "@ai-sdk/mcp";

import { failed } from "../contract/answer.js";

/** @import { PeerError } from "../contract/answer.js" */

/** Messages of an SDK without a connection. It has one class of errors for all layers. */
const NO_CONNECTION =
  /^(Connection closed|Attempted to send a request from a closed client|StdioClientTransport not connected|Request was aborted)/;

/**
 * @param {unknown} error
 * @returns {PeerError}
 */
export function peerError(error) {
  if (!MCPClientError.isInstance(error)) {
    return failed(isOfConnection(error) ? "connect" : "decode", error);
  }
  const { code, statusCode, message } = error;
  if (code !== undefined) return failed("protocol", error, code);
  if (/^Request timed out/.test(message)) return failed("timeout", error);
  const refused = statusCode !== undefined && statusCode >= 400;
  if (refused || NO_CONNECTION.test(message)) return failed("connect", error);
  return failed("decode", error);
}

/**
 * Returns whether `fetch` found nobody, or lost the body.
 *
 * @param {unknown} error
 */
function isOfConnection(error) {
  return (
    error instanceof Error &&
    (error.name === "AbortError" ||
      /^(fetch failed|terminated)$/.test(error.message))
  );
}

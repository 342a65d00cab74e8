/** Classification of the SDK's errors by the layer of the client in which they arose. */

import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
} from "@modelcontextprotocol/client";

import { failed } from "../contract/answer.js";

/** @import { Layer, PeerError } from "../contract/answer.js" */

/**
 * Messages of the client's own findings in a result. It raises them like errors of the server; only the words differ.
 */
const VALIDATION =
  /^(Structured content does not match |Failed to validate structured content|Tool .* has an output schema but did not |Tool '.*' has an invalid outputSchema)/s;

/**
 * The codes of what went wrong in the SDK with the connection, or in time. What remains is about what was received.
 *
 * @type {Partial<Record<SdkErrorCode, Layer>>}
 */
const LAYERS = {
  [SdkErrorCode.RequestTimeout]: "timeout",
  [SdkErrorCode.NotConnected]: "connect",
  [SdkErrorCode.ConnectionClosed]: "connect",
  [SdkErrorCode.SendFailed]: "connect",
  [SdkErrorCode.EraNegotiationFailed]: "connect",
  [SdkErrorCode.ClientHttpNotImplemented]: "connect",
  [SdkErrorCode.ClientHttpAuthentication]: "connect",
  [SdkErrorCode.ClientHttpForbidden]: "connect",
};

/**
 * @param {unknown} error
 * @returns {PeerError}
 */
export function peerError(error) {
  if (error instanceof ProtocolError) {
    return VALIDATION.test(error.message)
      ? failed("validate", error)
      : failed("protocol", error, error.code);
  }
  if (error instanceof SdkError) {
    return failed(LAYERS[error.code] ?? "decode", error);
  }
  return failed(isOfReading(error) ? "decode" : "connect", error);
}

/**
 * A body that is no JSON, or a message that is none of JSON-RPC.
 *
 * @param {unknown} error
 */
function isOfReading(error) {
  return (
    error instanceof SyntaxError ||
    (error instanceof Error && /^\$?ZodError$/.test(error.name))
  );
}

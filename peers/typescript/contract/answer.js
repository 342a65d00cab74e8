/** Answer of a client to a job: the observations of the user of its API, one entry a step. */

/**
 * @typedef {object} Answer
 * @property {number} id
 * @property {string} [negotiated] the revision that the SDK says it speaks with this server
 * @property {string} [unsupported] why the job cannot be done at all
 * @property {PeerError} [error] why no session came about
 * @property {StepAnswer[]} steps
 */

/**
 * Part of an answer that is known at some time: the reason why there is no session; or the revision first, then steps.
 *
 * @typedef {{error?: PeerError, negotiated?: string, steps?: StepAnswer[]}} Part
 */

/**
 * @typedef {object} StepAnswer one of these: `tools`; `structured`, `content` and `is_error`; `evolved`; or `error`
 * @property {ToolAnswer[]} [tools]
 * @property {{present: boolean, value?: unknown}} [structured] `present` tells a null from nothing
 * @property {unknown[]} [content]
 * @property {boolean} [is_error] whether the API presents the result as a tool error
 * @property {boolean} [evolved] whether the user of the API was told of the change
 * @property {PeerError} [error]
 */

/** @typedef {{name: string, output_schema?: unknown}} ToolAnswer */

/**
 * A result of a call as the API of an SDK gives it.
 *
 * @typedef {{structuredContent?: unknown, content?: unknown, isError?: unknown, [other: string]: unknown}} CallResult
 */

/**
 * Layer of the client in which an error arose: `connect`, no session, or it was lost; `decode`, a message is not what it should
 * be; `validate`, a value does not conform to its schema; `protocol`, the server answered with a JSON-RPC error; `tool`,
 * the API raises a tool's error; `timeout`.
 *
 * @typedef {"connect" | "decode" | "validate" | "protocol" | "tool" | "timeout"} Layer
 */

/** @typedef {{layer: Layer, code?: number, message: string}} PeerError */

/**
 * @param {{name: string, outputSchema?: unknown}[]} tools
 * @returns {StepAnswer}
 */
export function listed(tools) {
  return {
    tools: tools.map(({ name, outputSchema }) => ({
      name,
      output_schema: outputSchema,
    })),
  };
}

/**
 * @param {CallResult} result
 * @returns {StepAnswer}
 */
export function called({ structuredContent, content, isError }) {
  const present = structuredContent !== undefined;
  return {
    structured: { present, value: structuredContent },
    content: Array.isArray(content) ? content : [],
    is_error: isError === true,
  };
}

/**
 * An error in one of the layers.
 *
 * @param {Layer} layer
 * @param {unknown} error
 * @param {number} [code]
 * @returns {PeerError}
 */
export function failed(layer, error, code) {
  return { layer, code, message: words(error) };
}

/**
 * Returns the message of an error with its cause, in which `fetch` names the reason.
 *
 * @param {unknown} error
 * @returns {string}
 */
function words(error) {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error && !message.includes(cause.message)
    ? `${message}: ${words(cause)}`
    : message;
}

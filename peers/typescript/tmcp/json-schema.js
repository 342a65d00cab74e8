/**
 * Tools with JSON Schemas as they stand. The SDK takes any Standard Schema, with an adapter that makes JSON Schema of it:
 * these carry their own, and take every value, so that the script says what is sent.
 */

import { JsonSchemaAdapter } from "tmcp/adapter";

/** @import { JSONSchema7 } from "json-schema" */
/** @import { Standard } from "./scripted.js" */

/** @typedef {Standard & {schema: JSONSchema7}} Carrier */

/** @augments {JsonSchemaAdapter<Carrier>} */
class AsItStands extends JsonSchemaAdapter {
  /** @param {Carrier} carrier */
  async toJsonSchema({ schema }) {
    return schema;
  }
}

export const adapter = new AsItStands();

/**
 * @param {any} schema
 * @returns {Carrier}
 */
export function schemaOf(schema) {
  return {
    schema,
    "~standard": {
      version: 1,
      vendor: "mcp-compat",
      validate: (value) => ({ value: /** @type {any} */ (value) }),
    },
  };
}

export { schemaOf as inputOf };

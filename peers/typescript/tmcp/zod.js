/** Tools with Zod types, through the SDK's adapter for Zod. */

import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod";
import { z } from "zod";

import { Unsupported } from "../contract/exact.js";
import { typeOf, writeWith } from "../contract/zod.js";

/** @import { Script } from "../contract/script.js" */

writeWith(z);

export const adapter = new ZodJsonSchemaAdapter();

/**
 * A schema as a Zod type. The SDK's types take that of an object only, in both eras.
 *
 * @param {any} schema
 */
export function schemaOf(schema) {
  if (schema?.type !== "object") {
    throw new Unsupported("the types of tmcp take only schemas of objects");
  }
  return typeOf(schema);
}

/**
 * A tool without parameters has no schema of them.
 *
 * @param {any} schema
 */
export function inputOf(schema) {
  const type = schemaOf(schema);
  const isOpen = "additionalProperties" in schema;
  const { length } = Object.keys(schema.properties ?? {});
  return length > 0 || isOpen ? type : undefined;
}

/**
 * Does once what the SDK does with each result: it validates it.
 *
 * @param {Script} script
 */
export async function rehearse({ stages }) {
  for (const { definition, reply } of stages.flatMap(({ tools }) => tools)) {
    if (definition.outputSchema) {
      const { structuredContent } = reply.result ?? {};
      await schemaOf(definition.outputSchema).safeParseAsync(structuredContent);
    }
  }
}

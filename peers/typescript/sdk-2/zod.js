/** The writer of Zod types, with the Zod that the SDK depends on. */

import { z } from "zod";

import { shapeOf, writeWith } from "../contract/zod.js";

writeWith(z);

/**
 * An object schema as a Zod type.
 *
 * @param {Record<string, any>} schema
 */
export function objectOf(schema) {
  return z.object(shapeOf(schema));
}

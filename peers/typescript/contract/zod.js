/**
 * Writes a JSON Schema as its author would have written it with Zod, which is what an SDK's typed API takes.
 *
 * Only what one writes there as a matter of course is taken: a schema that Zod would say less of, or otherwise, is
 * `unsupported`. What the SDK makes of the Zod type in `tools/list` is its own affair.
 */

import { Unsupported } from "./exact.js";
import { known } from "./job.js";

/** @typedef {any} ZodType a type of the Zod that the SDK depends on */

/** @type {any} the Zod that the SDK depends on, and whose types its API takes */
let z;

/**
 * Says which Zod writes.
 *
 * @param {any} zod
 */
export function writeWith(zod) {
  z = zod;
}

/** @import { Offer } from "./offer.js" */
/** @typedef {Record<string, any>} JsonSchema */

/**
 * Refuses a script that asks for what `McpServer` does itself.
 *
 * @param {Offer} offer
 * @param {string[]} members of a definition, which `registerTool` takes
 * @param {boolean} notifies whether the server notifies its client of every change
 * @throws {Unsupported}
 */
export function requireRegistrable(offer, members, notifies) {
  if (offer.hasOwnList) {
    throw new Unsupported("McpServer answers tools/list itself, on one page");
  }
  if (notifies && offer.stages.slice(1).some(({ told }) => !told)) {
    throw new Unsupported(
      "McpServer notifies clients of every change of tools",
    );
  }
  for (const { definition, reply } of offer.stages.flatMap((s) => s.tools)) {
    known("registerTool", definition, members);
    if (reply.error) {
      throw new Unsupported("McpServer turns every error into a tool error");
    }
  }
}

/** Keywords that describe values without restricting them. */
const NOTES = ["description", "title", "$schema", "examples", "default"];

/**
 * The members of an object schema, as `registerTool` takes them.
 *
 * @param {JsonSchema} schema
 * @returns {Record<string, ZodType>}
 */
export function shapeOf(schema) {
  if (schema.type !== "object" || schema.additionalProperties) {
    throw new Unsupported(
      "registerTool takes only the properties of a plain object",
    );
  }
  return members(schema);
}

/** The types that JSON Schema names, with the keywords that Zod has for each. */
const TYPES = {
  /** @param {JsonSchema} schema */
  object(schema) {
    const { additionalProperties, properties } = schema;
    if (!properties && additionalProperties !== false) {
      only(schema, "additionalProperties");
      return z.record(z.string(), typeOf(additionalProperties ?? true));
    }
    const object = z.object(members(schema));
    if (additionalProperties === undefined) return object;
    if (additionalProperties === false) return object.strict();
    if (additionalProperties === true) return object.passthrough();
    return object.catchall(typeOf(additionalProperties));
  },

  /** @param {JsonSchema} schema */
  array(schema) {
    const { items, minItems, maxItems } = only(
      schema,
      "items minItems maxItems",
    );
    let type = z.array(items === undefined ? z.any() : typeOf(items));
    if (minItems !== undefined) type = type.min(minItems);
    if (maxItems !== undefined) type = type.max(maxItems);
    return type;
  },

  /** @param {JsonSchema} schema */
  string(schema) {
    const { minLength, maxLength, pattern } = only(
      schema,
      "minLength maxLength pattern",
    );
    let type = z.string();
    if (minLength !== undefined) type = type.min(minLength);
    if (maxLength !== undefined) type = type.max(maxLength);
    if (pattern !== undefined) type = type.regex(expression(pattern));
    return type;
  },

  /** @param {JsonSchema} schema */
  number(schema) {
    const keywords =
      "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf";
    const bounds = only(schema, keywords);
    let type = z.number();
    if (bounds.minimum !== undefined) type = type.gte(bounds.minimum);
    if (bounds.maximum !== undefined) type = type.lte(bounds.maximum);
    if (bounds.exclusiveMinimum !== undefined) {
      type = type.gt(bounds.exclusiveMinimum);
    }
    if (bounds.exclusiveMaximum !== undefined) {
      type = type.lt(bounds.exclusiveMaximum);
    }
    if (bounds.multipleOf !== undefined) {
      type = type.multipleOf(bounds.multipleOf);
    }
    return type;
  },

  /** @param {JsonSchema} schema */
  integer: (schema) => TYPES.number(schema).int(),

  /** @param {JsonSchema} schema */
  boolean: (schema) => (only(schema, ""), z.boolean()),

  /** @param {JsonSchema} schema */
  null: (schema) => (only(schema, ""), z.null()),
};

/**
 * A schema as a Zod type.
 *
 * @param {JsonSchema | boolean} schema
 * @returns {ZodType}
 */
export function typeOf(schema) {
  if (schema === true) return z.any();
  if (schema === false) return z.never();
  const type = bare(schema);
  return schema.description ? type.describe(schema.description) : type;
}

/**
 * @param {JsonSchema} schema
 * @returns {ZodType}
 */
function bare(schema) {
  const { type } = schema;
  if ("const" in schema) return literal(only(schema, "const type").const);
  if ("enum" in schema) return union(only(schema, "enum type").enum, literal);
  if ("anyOf" in schema) return union(only(schema, "anyOf").anyOf, typeOf);
  if (Array.isArray(type)) {
    return union(type, (one) => bare({ ...schema, type: one }));
  }
  if (type === undefined) return (only(schema, ""), z.any());
  if (!Object.hasOwn(TYPES, type))
    throw new Unsupported(`Zod has no type ${type}`);
  return TYPES[/** @type {keyof typeof TYPES} */ (type)](schema);
}

/** @param {JsonSchema} schema */
function members(schema) {
  const { properties = {}, required = [] } = only(
    schema,
    "properties required additionalProperties",
  );
  if (Array.isArray(properties)) {
    throw new Unsupported("Zod has no properties as a list");
  }
  /** @type {Record<string, ZodType>} */
  const shape = {};
  for (const [name, member] of Object.entries(properties)) {
    const type = typeOf(/** @type {JsonSchema} */ (member));
    shape[name] = required.includes(name) ? type : type.optional();
  }
  const unnamed = required.find((/** @type {string} */ name) => !shape[name]);
  if (unnamed !== undefined) {
    throw new Unsupported(
      `Zod cannot require a member without a type: ${unnamed}`,
    );
  }
  return shape;
}

/** @param {string} pattern */
function expression(pattern) {
  try {
    return new RegExp(pattern);
  } catch (error) {
    throw new Unsupported(`JavaScript cannot compile the pattern (${error})`);
  }
}

/** @param {any} value */
function literal(value) {
  if (typeof value === "object" && value !== null) {
    throw new Unsupported("Zod has no literals for objects and arrays");
  }
  return z.literal(value);
}

/**
 * @template T
 * @param {T[]} alternatives
 * @param {(alternative: T) => ZodType} typeOf
 * @returns {ZodType}
 */
function union(alternatives, typeOf) {
  if (alternatives.length === 0) {
    throw new Unsupported("Zod has no empty union");
  }
  const [first, second, ...rest] = alternatives.map(typeOf);
  return second ? z.union([first, second, ...rest]) : first;
}

/**
 * The schema, if it has none but these keywords.
 *
 * @param {JsonSchema} schema
 * @param {string} keywords
 */
function only(schema, keywords) {
  known("a Zod type", schema, ["type", ...keywords.split(" "), ...NOTES]);
  return schema;
}

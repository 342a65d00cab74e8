/**
 * Reads JSON only where nothing of it is lost, and writes what an SDK made of it.
 *
 * A JavaScript value cannot hold a duplicate key, nor a number that is no double. Were a script with one of them played
 * all the same, the server would be blamed for a value that its adapter had already changed. So it is refused with the
 * reason, and the adapter says `unsupported`. A lone surrogate is held, and written back as it was.
 */

import { randomUUID } from "node:crypto";

/** Refusal of a request that this adapter or its SDK cannot satisfy, with the reason for `unsupported`. */
export class Unsupported extends Error {}

/** Strings, with the colon that makes a key of one; numbers; and the braces. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|-?\d[\d.eE+-]*|[{}]/gs;

/** An integer so short that it is a double for certain. */
const SHORT = /^-?\d{1,15}$/;

/** Stands in a text for an infinite number, after its sign; no value has it, for nobody can know it. */
const MARK = randomUUID();
const MARKED = new RegExp(`"(-?1)${MARK}"`, "g");

/**
 * Reads a JSON text.
 *
 * @param {string} text
 * @returns {unknown}
 * @throws {Unsupported} where JavaScript would change it
 */
export function read(text) {
  const value = JSON.parse(text);
  /** @type {Set<string>[]} the keys of the objects that are open */
  const open = [];
  for (const [token, colon] of text.matchAll(TOKEN)) {
    if (token === "{") {
      open.push(new Set());
    } else if (token === "}") {
      open.pop();
    } else if (colon !== undefined) {
      const key = JSON.parse(token.slice(0, -colon.length));
      const keys = open.at(-1);
      if (keys?.has(key)) {
        throw new Unsupported(
          `a JavaScript object keeps only one of two keys ${JSON.stringify(key)}`,
        );
      }
      keys?.add(key);
    } else if (!token.startsWith('"') && !holds(token)) {
      throw new Unsupported(`JavaScript cannot represent the number ${token}`);
    }
  }
  return value;
}

/**
 * Writes a value as JSON, with an infinite number as one that no double holds: `JSON.stringify` would write null.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function write(value) {
  const text = JSON.stringify(value);
  if (!text.includes("null") || !holdsInfinity(value)) return text;
  return JSON.stringify(value, (_, each) =>
    isInfinite(each) ? `${Math.sign(each)}${MARK}` : each,
  ).replaceAll(MARKED, "$1e999");
}

/**
 * Makes sure that a type of the SDK gives back exactly what it is given.
 *
 * @param {string} what the value is, for the reason
 * @param {unknown} value
 * @param {(value: any) => unknown} type reads the value as the SDK does, or throws
 * @throws {Unsupported} when the type refuses the value, or changes it
 */
export function held(what, value, type) {
  let back;
  try {
    back = type(value);
  } catch (error) {
    throw new Unsupported(
      `the SDK cannot represent ${what} (${error instanceof Error ? error.message : error})`,
    );
  }
  const at = difference(value, back);
  if (at !== undefined) {
    const where = at === "" ? "the whole value" : at;
    throw new Unsupported(`the SDK changes ${where} in ${what}`);
  }
}

/**
 * The JSON Pointer to the first difference of two values.
 *
 * @param {unknown} left
 * @param {unknown} right
 * @param {string} [at]
 * @returns {string | undefined}
 */
export function difference(left, right, at = "") {
  if (left === right) return undefined;
  if (!isContainer(left) || !isContainer(right)) return at;
  if (Array.isArray(left) !== Array.isArray(right)) return at;
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const there = `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (!Object.hasOwn(left, key) || !Object.hasOwn(right, key)) return there;
    const inside = difference(left[key], right[key], there);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isContainer(value) {
  return typeof value === "object" && value !== null;
}

/**
 * @param {unknown} value
 * @returns {value is number}
 */
function isInfinite(value) {
  return value === Infinity || value === -Infinity;
}

/**
 * Returns whether a value contains an infinite number, at any depth: a recursion would end on deep values.
 *
 * @param {unknown} value that has no cycles
 */
function holdsInfinity(value) {
  const left = [value];
  while (left.length > 0) {
    const each = left.pop();
    if (isInfinite(each)) return true;
    if (isContainer(each)) {
      for (const inner of Object.values(each)) left.push(inner);
    }
  }
  return false;
}

/**
 * Returns whether a number of JSON equals the double that JavaScript reads.
 *
 * @param {string} lexeme
 */
function holds(lexeme) {
  if (SHORT.test(lexeme)) return true;
  const number = Number(lexeme);
  return Number.isFinite(number) && decimal(lexeme) === decimal(String(number));
}

/**
 * A decimal in one normal form: sign, digits without outer zeros, and the power of ten of the last one.
 *
 * @param {string} lexeme
 */
function decimal(lexeme) {
  const [, sign, whole, fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(lexeme) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power =
    BigInt(exponent) -
    BigInt(fraction.length) +
    BigInt(digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}

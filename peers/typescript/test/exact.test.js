/** JSON that JavaScript holds is read, and JSON that it would change is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  Unsupported,
  difference,
  held,
  read,
  write,
} from "../contract/exact.js";

test("a value that JavaScript holds is read", () => {
  for (const text of [
    '[1, 1.0, -0, 1e2, 0.1, 1e21, 5e-324, 9007199254740992, "1e999 \\" 2"]',
    '{"a": {"b": 1}, "b": [{"a": 1}, {"a": 2}], "": "a:1", "c": "{"}',
    String.raw`["\ud800", "\u0000", "\\"]`,
    `"${"1".repeat(10_000_000)}"`,
  ]) {
    assert.deepEqual(read(text), JSON.parse(text));
  }
});

test("a value that JavaScript would change is refused", () => {
  for (const text of [
    "[9007199254740993]",
    "[123456789012345678901234567890]",
    "[1e400]",
    "[0.30000000000000000001]",
    '{"a": 1, "a": 2}',
    String.raw`{"a": 1, "\u0061" : 2}`,
    '[{"x": {"a": {}, "b": [{"a": 1}], "a": 2}}]',
  ]) {
    assert.throws(() => read(text), Unsupported, text);
  }
});

test("a type that changes a value does not hold it", () => {
  const narrow = (/** @type {any} */ { name }) => ({ name });
  held("the tool", { name: "a" }, narrow);
  assert.throws(
    () => held("the tool", { name: "a", x: { y: 1 } }, narrow),
    new Unsupported("the SDK changes /x in the tool"),
  );
});

test("a difference is found where it is", () => {
  assert.equal(difference({ a: [1, 2] }, { a: [1, 2] }), undefined);
  assert.equal(difference({ a: [1, 2] }, { a: [1, 3] }), "/a/1");
  assert.equal(difference({ "a/b": null }, {}), "/a~1b");
  assert.equal(difference([], {}), "");
});

test("an infinite number is written as one that no double holds", () => {
  const value = { a: [Infinity, { b: -Infinity }], c: null, d: "-1e999", e: 1 };
  const text = '{"a":[1e999,{"b":-1e999}],"c":null,"d":"-1e999","e":1}';
  assert.equal(write(value), text);
  assert.deepEqual(JSON.parse(text), value);
});

test("all else is written as JavaScript writes it", () => {
  const inner = { u: undefined, at: new Date(0), n: [null, undefined, NaN] };
  const value = { b: 1e21, a: -0, "": ["\ud800", "null"], inner };
  assert.equal(write(value), JSON.stringify(value));
  const deep = `${"[".repeat(3000)}null${"]".repeat(3000)}`;
  assert.equal(write(JSON.parse(deep)), deep);
});

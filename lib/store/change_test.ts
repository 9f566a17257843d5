import assert from "node:assert/strict";
import { PathConflict, TypeConflict } from "./errors.ts";
import type { Change, Json, StoredRecord } from "./port.ts";
import { applyChange } from "./change.ts";

type Fields = { [name: string]: Json };

/**
 * Returns the record after a change, without its id. Asserts that the given record is not modified.
 */
function changed(before: Fields, change: Change): Fields {
  const record: StoredRecord = { _id: "a", ...structuredClone(before) };
  const { _id, ...after } = applyChange(record, change);
  assert.equal(_id, "a");
  assert.deepEqual(record, { _id: "a", ...before });
  return after;
}

Deno.test("set replaces entire values, and nested values by dotted paths", () => {
  assert.deepEqual(changed({ a: { x: 1 }, b: 2 }, { set: { a: { y: 2 }, b: null } }), {
    a: { y: 2 },
    b: null,
  });
  assert.deepEqual(changed({ a: { x: 1, y: 2 } }, { set: { "a.x": 5 } }), { a: { x: 5, y: 2 } });
  assert.deepEqual(changed({}, { set: { "a.b.c": 1 } }), { a: { b: { c: 1 } } });
});

Deno.test("set adds new fields in name order and keeps the position of existing ones", () => {
  const after = changed({ m: 1 }, { set: { z: 1, b: 2, m: 3, a: 4 } });
  assert.deepEqual(Object.keys(after), ["m", "a", "b", "z"]);
});

Deno.test("applyChange modifies neither the record nor the change, at any depth", () => {
  const record: StoredRecord = { _id: "a", o: { p: { x: 1 }, n: 1 }, list: [{ x: 1 }] };
  const change: Change = {
    set: { "o.p.y": 2, whole: { z: 1 } },
    unset: ["o.p.x"],
    increment: { "o.n": 1, "whole.z": 1 },
  };
  const [recordBefore, changeBefore] = [structuredClone(record), structuredClone(change)];
  const after = applyChange(record, change);
  assert.deepEqual(after, {
    _id: "a",
    o: { p: { y: 2 }, n: 2 },
    list: [{ x: 1 }],
    whole: { z: 2 },
  });
  assert.deepEqual(record, recordBefore);
  assert.deepEqual(change, changeBefore);
});

Deno.test("unset removes existing values and creates no objects along the path", () => {
  assert.deepEqual(changed({ a: 1, b: 2 }, { unset: ["a", "c"] }), { b: 2 });
  assert.deepEqual(changed({ a: { x: 1, y: 2 } }, { unset: ["a.x"] }), { a: { y: 2 } });
  assert.deepEqual(changed({ b: 1 }, { unset: ["a.x.y"] }), { b: 1 });
});

Deno.test("increment adds to numbers and counts missing and null as 0", () => {
  assert.deepEqual(changed({ n: 1 }, { increment: { n: 2, m: -1, "o.p": 0.5 } }), {
    n: 3,
    m: -1,
    o: { p: 0.5 },
  });
  assert.deepEqual(changed({ n: null }, { increment: { n: 5 } }), { n: 5 });
  for (
    const [n, by] of [[2 ** 53, 2], [2 ** 60, 2 ** 60], [1e300, -1e300], [2 ** 53, 0], [0.1, 0.2]]
  ) {
    assert.deepEqual(changed({ n: n! }, { increment: { n: by! } }), { n: n! + by! });
  }
});

Deno.test("replace preserves the id and the stored fields named in keep", () => {
  const change = { replace: { b: 9, c: 3 }, keep: ["a", "b", "missing"] };
  assert.deepEqual(changed({ a: 1, b: 2, x: 5 }, change), { a: 1, b: 2, c: 3 });
  assert.deepEqual(changed({ a: 1 }, { replace: {} }), {});
});

Deno.test("applyChange applies replace, set, unset and increment in this order", () => {
  const change: Change = {
    replace: { a: 1, b: 2, c: 3 },
    set: { b: 20 },
    unset: ["a"],
    increment: { b: 1, c: 1 },
  };
  assert.deepEqual(changed({ x: 1 }, change), { b: 21, c: 4 });
});

Deno.test("a path through a non-object throws a PathConflict that names the path", () => {
  const conflict = (path: string) => (error: unknown) =>
    error instanceof PathConflict && error.path === path;
  for (const value of [1, "text", true, [], [{ x: 1 }]] as Json[]) {
    const record = { _id: "a", v: value };
    assert.throws(() => applyChange(record, { set: { "v.x": 1 } }), conflict("v.x"));
    assert.throws(() => applyChange(record, { increment: { "v.x": 1 } }), conflict("v.x"));
  }
});

Deno.test("null along a path counts as a missing object", () => {
  assert.deepEqual(changed({ o: null }, { set: { "o.x.y": 1 } }), { o: { x: { y: 1 } } });
  assert.deepEqual(changed({ o: { p: null } }, { increment: { "o.p.x": 1 } }), {
    o: { p: { x: 1 } },
  });
  for (const path of ["o.x", "o.x.y"]) {
    assert.deepEqual(changed({ o: null }, { unset: [path] }), { o: null });
    assert.deepEqual(changed({ o: null }, { pull: { [path]: [1] } }), { o: null });
  }
});

Deno.test("a step that does not fit the stored value throws a TypeConflict with a reason", () => {
  const conflict = (why: string) => (error: unknown) =>
    error instanceof TypeConflict && error.path === "v" && error.reason === why;
  const refused = (value: Json, change: Change, why: string) =>
    assert.throws(() => applyChange({ _id: "a", v: value }, change), conflict(why));
  for (const value of ["1", true, [], {}] as Json[]) {
    refused(value, { increment: { v: 1 } }, "is not a number");
    refused(value, { min: { v: 1 } }, "is not a number");
  }
  refused(1e308, { increment: { v: 1e308 } }, "would exceed the largest number");
  for (
    const [value, by] of [
      [2 ** 53, 1],
      [-(2 ** 53), -1],
      [2 ** 53 - 1, 2],
      [1, 2 ** 53],
      [2 ** 60, 100],
      [1e300, 1],
      [1e17, 0.5],
      [1, 1e-20],
    ] as const
  ) {
    const why = `is ${value}, to which a Number cannot add ${by} exactly: store larger ` +
      "integers as Strings";
    refused(value, { increment: { v: by } }, why);
  }
  refused(1, { max: { v: "2026" } }, "is not a text");
  for (const value of ["1", true, 1, {}] as Json[]) {
    refused(value, { push: { v: [1] } }, "is not a list");
    refused(value, { addToSet: { v: [1] } }, "is not a list");
    refused(value, { pull: { v: [1] } }, "is not a list");
  }
});

Deno.test("list values are equal regardless of member order, but never across types", () => {
  const list = [1, "1", true, null, { a: 1, b: [{ c: 1, d: 2 }] }, '{"a":1}', { a: 1 }];
  const same = [1, "1", true, null, { b: [{ d: 2, c: 1 }], a: 1 }, '{"a":1}', { a: 1 }];
  assert.deepEqual(changed({ v: list }, { addToSet: { v: same } }), { v: list });
  assert.deepEqual(changed({ v: list }, { pull: { v: same } }), { v: [] });
  assert.deepEqual(changed({ v: [1, "1", { a: 1 }] }, { pull: { v: [{ a: "1" }, true] } }), {
    v: [1, "1", { a: 1 }],
  });
});

Deno.test("applyChange ignores inherited properties", () => {
  assert.deepEqual(changed({}, { set: { "toString.x": 1 } }), { toString: { x: 1 } });
  assert.deepEqual(changed({}, { increment: { valueOf: 1 } }), { valueOf: 1 });
});

Deno.test("set adds new fields in the order of their names' UTF-8 bytes", () => {
  const names = ["a", "ab", "b", "é", "\uffee", "\u{10000}", "\u{10001}", "\u{1f600}"];
  const set = Object.fromEntries(names.toReversed().map((name) => [name, 1]));
  const record = { _id: "1".repeat(24), z: 0 };
  assert.deepEqual(Object.keys(applyChange(record, { set })), ["_id", "z", ...names]);
});

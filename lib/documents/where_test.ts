import assert from "node:assert/strict";
import type { Filter } from "../store/port.ts";
import { type Collection, compileCollection } from "./collection.ts";
import { parseDefinition } from "./definition.ts";
import { ConditionReader } from "./condition_reader.ts";
import { parseWhere } from "./where.ts";

const collection = (parts: Record<string, unknown> = {}): Collection =>
  compileCollection(parseDefinition({
    name: "posts",
    rls: { enabled: false },
    fields: [
      { key: "views", type: "Number" },
      { key: "status", type: "String" },
      { key: "place", type: "Object", fields: [{ key: "city", type: "String" }] },
      { key: "limit", type: "Number" },
    ],
    ...parts,
  }));

const reader = (parts?: Record<string, unknown>): ConditionReader =>
  new ConditionReader(collection(parts), '"where"');

const where = (tree: unknown, parts?: Record<string, unknown>): Filter =>
  parseWhere(reader(parts), JSON.stringify(tree));

/** Asserts that a tree is rejected with a message that names `where`. */
function refused(tree: unknown, why: RegExp, parts?: Record<string, unknown>): void {
  const text = typeof tree === "string" ? tree : JSON.stringify(tree);
  assert.throws(
    () => parseWhere(reader(parts), text),
    (error: Error & { code?: string }) => {
      assert.match(error.code ?? String(error), /^(INVALID_QUERY|UNKNOWN_OPERATOR)$/);
      assert.match(error.message, /^"where" .*[.?]$/s);
      assert.match(error.message, why);
      return true;
    },
    text.slice(0, 100),
  );
}

const views = (op: string, value: unknown) => ({ op, path: "views", value });
const status = { op: "eq", path: "status", value: "draft" };

Deno.test("a field without operator means equality", () => {
  assert.deepEqual(where({ status: "draft" }), status);
  assert.deepEqual(where({ views: null }), views("eq", null));
});

Deno.test("parseWhere parses the example of the specification", () => {
  assert.deepEqual(where({ or: [{ views: { gt: 5 } }, { status: "draft" }] }), {
    op: "or",
    of: [views("gt", 5), status],
  });
});

Deno.test("several operators and several fields are combined with and", () => {
  assert.deepEqual(where({ views: { gte: 1, lt: 5 } }), {
    op: "and",
    of: [views("gte", 1), views("lt", 5)],
  });
  assert.deepEqual(where({ views: 1, status: "draft" }), {
    op: "and",
    of: [views("eq", 1), status],
  });
});

Deno.test("and, or and not nest", () => {
  assert.deepEqual(where({ not: { or: [{ views: 1 }, { and: [{ views: 2 }, { views: 3 }] }] } }), {
    op: "not",
    of: {
      op: "or",
      of: [views("eq", 1), { op: "and", of: [views("eq", 2), views("eq", 3)] }],
    },
  });
});

Deno.test("an empty tree matches everything", () => {
  assert.deepEqual(where({}), { op: "and", of: [] });
});

Deno.test("an empty object counts as a condition", () => {
  const empty = (count: number) => ({ or: Array.from({ length: count }, () => ({})) });
  where(empty(50));
  assert.throws(() => where(empty(51)), /more than 50 conditions/);
});

Deno.test("every operator is supported", () => {
  const tree = {
    views: { eq: 1, ne: 2, gt: 3, gte: 4, lt: 5, lte: 6, in: [7], nin: [8], exists: true },
    status: { regex: "^a" },
  };
  const filter = where(tree);
  const operators = ["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "exists", "regex"];
  assert.deepEqual(filter.op === "and" && filter.of.map(({ op }) => op), operators);
});

Deno.test("conditions may use dotted paths, reserved names and server fields", () => {
  assert.deepEqual(where({ "place.city": "Bonn" }), {
    op: "eq",
    path: "place.city",
    value: "Bonn",
  });
  assert.deepEqual(where({ limit: { gt: 5 } }), { op: "gt", path: "limit", value: 5 });
  assert.deepEqual(where({ createdAt: { lt: "2026-01-31" } }), {
    op: "lt",
    path: "createdAt",
    value: "2026-01-31T00:00:00.000Z",
  });
  assert.deepEqual(where({ _id: { in: ["ABC"] } }), { op: "in", path: "_id", values: ["ABC"] });
  assert.deepEqual(where({ isDeleted: true }), { op: "eq", path: "isDeleted", value: true });
});

Deno.test("a text that is not a JSON object is rejected with an example", () => {
  for (const text of ["", "{", "views>5", "{'views':5}", '{"views":NaN}']) {
    refused(text, /is not valid JSON, such as \{"views":\{"gt":5\}\}/);
  }
  for (const tree of [[], [{ views: 1 }], "null", "5", '"views"', "true"]) {
    refused(tree, /must be an object, such as \{"status":"draft"\}/);
  }
});

Deno.test("and and or require lists of objects that are not empty", () => {
  for (const name of ["and", "or"]) {
    for (const value of [[], {}, null, "a", 1]) {
      refused({ [name]: value }, new RegExp(`needs a list of conditions for ${name}`));
    }
    refused({ [name]: [1] }, /must be an object/);
  }
  for (const value of [[], null, 1]) refused({ not: value }, /must be an object/);
});

Deno.test("an unknown operator is rejected with the list of operators", () => {
  for (const operator of ["foo", "$gt", "GT", "", "__proto__", "toString", "and"]) {
    const tree = `{"views":{${JSON.stringify(operator)}:1}}`;
    assert.throws(() => parseWhere(reader(), tree), {
      code: "UNKNOWN_OPERATOR",
      message: /^"where" has the unknown operator ".*": use eq, ne, gt, gte, lt, lte, in, nin/,
    });
  }
  for (const [typed, meant] of [["$gt", "gt"], ["_lte", "lte"], ["startswith", "startsWith"]]) {
    assert.throws(() => parseWhere(reader(), `{"views":{"${typed}":1}}`), {
      message: new RegExp(`startsWith\\. Did you mean "${meant}"\\?$`),
    });
  }
  refused({ views: {} }, /has no operator for "views"/);
});

Deno.test("names that no document can have are rejected", () => {
  for (const name of ["$where", "$views", "", "a..b", "a.$b", "__proto__", "a.constructor", " a"]) {
    refused(`{${JSON.stringify(name)}:1}`, /cannot be a filter/);
  }
  refused({ "views[$gt]": 1 }, /cannot be a filter/);
  for (const name of ["and", "or", "not"]) {
    refused({ [`$${name}`]: [{ views: 1 }] }, new RegExp(`write "${name}", without the dollar`));
  }
  refused({ $nor: [{ views: 1 }] }, /cannot have "\$nor": write "not" around an "or"/);
});

Deno.test("a strict collection rejects conditions on undeclared fields", () => {
  refused({ other: 1 }, /names "other", which this strict collection does not/, { strict: true });
  refused({ "place.zip": 1 }, /names "place\.zip"/, { strict: true });
  assert.deepEqual(where({ "place.city": "Bonn", isDeleted: false }, { strict: true }), {
    op: "and",
    of: [
      { op: "eq", path: "place.city", value: "Bonn" },
      { op: "eq", path: "isDeleted", value: false },
    ],
  });
});

Deno.test("values are checked against the declared type", () => {
  refused({ views: "5" }, /must be a number, because views is declared Number/);
  refused({ views: [1, 2] }, /must be a number/);
  refused({ status: { regex: "(a)+" } }, /repeats a group/);
  refused({ views: { gt: null } }, /cannot order by null/);
});

Deno.test("a where tree has up to 4096 bytes", () => {
  const frame = '{"status":""}'.length;
  const ascii = (bytes: number) => ({ status: "x".repeat(bytes - frame) });
  assert.ok(where(ascii(4096)));
  refused(ascii(4097), /is longer than 4096 bytes/);
  const wide = (characters: number) => ({ status: "é".repeat(characters) });
  assert.ok(where(wide(2041)));
  refused(wide(2042), /is longer than 4096 bytes/);
});

const nots = (levels: number): unknown => levels === 1 ? { views: 1 } : { not: nots(levels - 1) };
const ors = (levels: number): unknown => levels === 1 ? { views: 1 } : { or: [ors(levels - 1)] };

Deno.test("a where tree has up to five levels", () => {
  assert.ok(where(nots(5)));
  assert.ok(where(ors(5)));
  refused(nots(6), /is nested deeper than 5 levels/);
  refused(ors(6), /is nested deeper than 5 levels/);
  refused("[".repeat(4000), /is not valid JSON/);
  refused('{"not":'.repeat(500) + "{}" + "}".repeat(500), /is nested deeper than 5 levels/);
});

Deno.test("a where tree has up to 50 conditions at all levels together", () => {
  const listed = (count: number) => ({ or: Array.from({ length: count }, () => ({ views: 1 })) });
  assert.ok(where(listed(50)));
  refused(listed(51), /has more than 50 conditions/);
  const paired = (count: number) => ({
    and: Array.from({ length: count }, () => ({ views: { gt: 1, lt: 5 } })),
  });
  assert.ok(where(paired(25)));
  refused(paired(26), /has more than 50 conditions/);
  refused({ and: [listed(25), { not: listed(26) }] }, /has more than 50 conditions/);
});

Deno.test("a list of values has up to 1000 values", () => {
  const values = Array.from({ length: 1001 }, () => 1);
  assert.ok(where({ views: { in: values.slice(1) } }));
  refused({ views: { in: values } }, /has more than 1000 values/);
});

import assert from "node:assert/strict";
import { type Caller, list, pageOf, type Parameter, type StoredCollection } from "./model.ts";
import type { Definition, Field } from "./model_types.ts";
import type { Json } from "./model_values.ts";

const SECRET: Caller = { kind: "secret" };
const OFF: Definition["rls"] = { enabled: false, mode: "private", ownerField: "userId" };

/** Creates documents `1`, `2`, … in the order of their creation. */
function contents(
  documents: readonly { readonly [name: string]: Json }[],
  fields: readonly Field[] = [],
  more: Partial<Definition> = {},
): StoredCollection {
  return {
    definition: { name: "things", fields, rls: OFF, strict: false, ...more },
    documents: documents.map((document, i) => ({
      _id: String(i + 1),
      createdAt: `2026-01-0${i + 1}T00:00:00.000Z`,
      updatedAt: `2026-01-0${i + 1}T00:00:00.000Z`,
      isDeleted: false,
      deletedAt: null,
      ...document,
    })),
  };
}

/** Returns ids in the order of the list, or the status of the refusal. */
function ids(from: StoredCollection, query: string, caller: Caller = SECRET): string | number {
  const outcome = list(from, caller, [...new URLSearchParams(query)] as Parameter[]);
  return outcome.status === 200 ? outcome.order.map(({ _id }) => _id).join(" ") : outcome.status;
}

const where = (tree: Json): string => `where=${encodeURIComponent(JSON.stringify(tree))}`;
const a = (type: Field["type"]): Field[] => [{ key: "a", type }];

Deno.test("the model sorts missing and null first, text by UTF-8 bytes, false before true", () => {
  const values = ["😀", null, "\u{FF5E}", "b", "B"].map((a) => ({ a }));
  assert.equal(ids(contents([...values, {}], a("String")), "sort=a"), "2 6 5 4 3 1");
  const flags = [{ a: true }, { a: false }, {}];
  assert.equal(ids(contents(flags, a("Boolean")), "sort=a:desc"), "1 2 3");
  assert.equal(ids(contents([{ a: 10 }, { a: 9 }, { a: -1 }], a("Number")), "sort=a"), "3 2 1");
});

Deno.test("the model breaks ties by _id in the direction of the last key", () => {
  const same = [{ a: 1, b: 1 }, { a: 1, b: 2 }, { a: 1, b: 1 }];
  const fields: Field[] = [...a("Number"), { key: "b", type: "Number" }];
  assert.equal(ids(contents(same, fields), "sort=a"), "1 2 3");
  assert.equal(ids(contents(same, fields), "sort=-a"), "3 2 1");
  assert.equal(ids(contents(same, fields), "sort=a,-b"), "2 3 1");
  assert.equal(ids(contents(same, fields), ""), "3 2 1", "-createdAt by default");
});

Deno.test("the model sorts by declared scalars and four of the server's fields only", () => {
  const from = contents([], [...a("Array"), { key: "o", type: "Object", fields: a("Date") }]);
  for (const sort of ["_id", "createdAt", "-updatedAt", "deletedAt:asc", "o.a"]) {
    assert.equal(ids(from, `sort=${sort}`), "");
  }
  for (const sort of ["isDeleted", "a", "o", "u", "_id:up"]) {
    assert.equal(ids(from, `sort=${sort}`), 400);
  }
});

Deno.test("the model compares values of one type only: true is never 1", () => {
  const mixed = contents([
    { u: true },
    { u: 1 },
    { u: "1" },
    { u: 2 },
    { u: "2" },
    { u: null },
    {},
  ]);
  assert.equal(ids(mixed, `sort=_id&${where({ u: 1 })}`), "2");
  assert.equal(ids(mixed, `sort=_id&${where({ u: true })}`), "1");
  assert.equal(ids(mixed, `sort=_id&${where({ u: { gt: 1 } })}`), "4");
  assert.equal(ids(mixed, `sort=_id&${where({ u: { gte: "1" } })}`), "3 5");
  assert.equal(ids(mixed, `sort=_id&${where({ u: { gt: false } })}`), "1");
});

Deno.test("the model reads undeclared operands both ways", () => {
  const mixed = contents([{ u: 1 }, { u: "1" }, { u: true }, { u: "true" }, { u: "null" }, {}]);
  assert.equal(ids(mixed, "sort=_id&u=1"), "1 2");
  assert.equal(ids(mixed, "sort=_id&u=true"), "3 4");
  assert.equal(ids(mixed, "sort=_id&u=null"), "5 6");
  assert.equal(ids(mixed, "sort=_id&u_nin=1,null"), "3 4");
  assert.equal(ids(mixed, "sort=_id&u_gte=1"), "1 2 4 5");
});

Deno.test("the model gives operands the declared type and refuses what does not fit", () => {
  const texts = contents([{ a: "1" }, { a: "null" }, {}], a("String"));
  assert.equal(ids(texts, "a=1"), "1");
  assert.equal(ids(texts, "a=null"), "2");
  assert.equal(ids(texts, where({ a: null })), "3");
  assert.equal(ids(texts, where({ a: 1 })), 400);
  const dates = contents([{ a: "2026-01-31T12:00:00.000Z" }], a("Date"));
  assert.equal(ids(dates, "a=2026-01-31T13:00:00%2B01:00"), "1");
  assert.equal(ids(dates, "a_gt=2026-01-31"), "1");
  for (const [type, text] of [["Number", "x"], ["Boolean", "1"], ["Date", "1"], ["Ref", "1"]]) {
    assert.equal(ids(contents([], a(type as Field["type"])), `a=${text}`), 400);
  }
});

Deno.test("the model treats a missing field as null, but exists checks its presence", () => {
  const from = contents([{ u: null }, {}, { u: 0 }]);
  assert.equal(ids(from, `sort=_id&${where({ u: null })}`), "1 2");
  assert.equal(ids(from, `sort=_id&${where({ u: { ne: null } })}`), "3");
  assert.equal(ids(from, "sort=_id&u_exists=true"), "1 3");
  assert.equal(ids(from, "sort=_id&u_exists=false"), "2");
  assert.equal(ids(from, "sort=_id&u_ne=0"), "1 2");
});

Deno.test("the model matches an array by one element, ne and nin by none", () => {
  const from = contents([{ u: ["x", "y"] }, { u: [] }, { u: "x" }, {}, { u: [["x"]] }]);
  assert.equal(ids(from, "sort=_id&u=x"), "1 3");
  assert.equal(ids(from, "sort=_id&u_ne=x"), "2 4 5");
  assert.equal(ids(from, "sort=_id&u_nin=y,z"), "2 3 4 5");
  assert.equal(ids(from, "sort=_id&u=x&u=y"), "1");
  assert.equal(ids(from, "sort=_id&u_gt=x"), "1");
  assert.equal(ids(from, `sort=_id&${where({ u: null })}`), "4");
});

Deno.test("the model follows dots into objects only", () => {
  const from = contents([{ u: { x: 1 } }, { u: [{ x: 1 }] }, { u: "x" }, { "u.x": 1 }]);
  assert.equal(ids(from, "sort=_id&u.x=1"), "1");
  assert.equal(ids(from, "sort=_id&u.x_exists=false"), "2 3 4");
});

Deno.test("the model distinguishes fields from operators by the declaration", () => {
  const fields: Field[] = [{ key: "checked_in", type: "Boolean" }, {
    key: "limit",
    type: "Number",
  }];
  const from = contents([{ checked_in: true, limit: 5, u_v: 1, u: 2 }], fields);
  assert.equal(ids(from, "checked_in=true"), "1");
  assert.equal(ids(from, "checked_in_in=true,false"), "1");
  assert.equal(ids(from, "checked_in_like=true"), 400);
  assert.equal(ids(from, "u_v=1"), "1");
  assert.equal(ids(from, "u_in=2"), "1");
  assert.equal(ids(from, "limit=3"), "1", "a page size");
  assert.equal(ids(from, "limit_gt=5"), "");
  for (const name of ["$where", "u.$gt", "__proto__", "u.constructor_gt", "u[$gt]"]) {
    assert.equal(ids(from, `${encodeURIComponent(name)}=1`), 400);
  }
});

Deno.test("the model refuses undeclared names in strict collections, except the server's", () => {
  const from = contents([], [{ key: "o", type: "Object" }], { strict: true });
  assert.equal(ids(from, "u=1"), 400);
  assert.equal(ids(from, where({ or: [{ u_v: 1 }] })), 400);
  assert.equal(ids(from, "o.x=1&_id=1&isDeleted=false&createdAt_gt=2026-01-01"), "");
});

Deno.test("the model's not matches exactly the documents that do not match", () => {
  const from = contents([{ u: 1 }, { u: "x" }, {}]);
  assert.equal(ids(from, `sort=_id&${where({ not: { u: { gt: 0 } } })}`), "2 3");
  assert.equal(ids(from, `sort=_id&${where({ not: { not: { u: { gt: 0 } } } })}`), "1");
  assert.equal(ids(from, `sort=_id&${where({ or: [{ u: 1 }, { u: "x" }], u: { ne: 1 } })}`), "2");
  assert.equal(ids(from, `sort=_id&u=1&${where({ u: "x" })}`), "");
});

Deno.test("the model matches patterns anywhere in text, ignoring letter case", () => {
  const from = contents([{ u: "Élan" }, { u: "a.b" }, { u: 5 }, { u: ["x", "LAN"] }]);
  assert.equal(ids(from, "sort=_id&u_regex=lan"), "1 4");
  assert.equal(ids(from, "sort=_id&u_regex=^é"), "1");
  assert.equal(ids(from, "sort=_id&u_regex=5"), "");
});

Deno.test("the model shows each caller the rows of the table, and their own rows of the trash", () => {
  const rows = [{ userId: "me" }, { userId: "you" }, {}].flatMap((row) => [
    row,
    { ...row, isDeleted: true },
  ]);
  const noUser: Caller = { kind: "publishable", userId: null };
  const me: Caller = { kind: "publishable", userId: "me" };
  const seen = (rls: Partial<Definition["rls"]>, caller: Caller, deleted: boolean) =>
    ids(
      contents(rows, [], { rls: { ...OFF, ...rls } }),
      `sort=_id&include_deleted=${deleted}`,
      caller,
    );
  for (
    const [deleted, all, mine] of [[false, "1 3 5", "1"], [true, "1 2 3 4 5 6", "1 2"]] as const
  ) {
    assert.equal(seen({}, noUser, deleted), "1 3 5");
    assert.equal(seen({}, me, deleted), "1 3 5");
    assert.equal(seen({ enabled: true, mode: "public-read" }, noUser, deleted), "1 3 5");
    assert.equal(
      seen({ enabled: true, mode: "public-read" }, me, deleted),
      deleted ? "1 2 3 5" : "1 3 5",
    );
    assert.equal(seen({ enabled: true }, noUser, deleted), 401);
    assert.equal(seen({ enabled: true }, me, deleted), mine);
    assert.equal(seen({ enabled: true }, SECRET, deleted), all);
  }
});

Deno.test("the model selects pages, counts, and shows the requested members", () => {
  const from = contents([{ u: 1, v: 1 }, { u: 2, v: 2 }, { u: 3, v: 3 }]);
  const asked = (query: string) => {
    const outcome = list(from, SECRET, [...new URLSearchParams(query)] as Parameter[]);
    assert.ok(outcome.status === 200);
    return outcome;
  };
  assert.deepEqual(pageOf(asked("sort=_id&page=2&limit=2&fields=v")), [{ _id: "3", v: 3 }]);
  assert.deepEqual(pageOf(asked("limit=1&meta=false&fields=-u")), [{ _id: "3", v: 3 }]);
  assert.equal(asked("u_gt=1").order.length, 2);
  const { limit, page, total, count } = asked("total=none&count=true");
  assert.deepEqual({ limit, page, total, count }, {
    limit: 100,
    page: 1,
    total: "none",
    count: true,
  });
  for (const query of ["limit=0", "limit=1001", "page=0", "page=x", "limit=1.5", "fields=u,-v"]) {
    assert.equal(ids(from, query), 400);
  }
});

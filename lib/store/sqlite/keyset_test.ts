import assert from "node:assert/strict";
import { ALL, eq } from "../filter.ts";
import type { Definition, ListQuery, Position, Scalar, SortKey } from "../port.ts";
import { boundPage, inlineBytesMax, type PageStatement, pageStatement } from "./keyset.ts";
import { planQuery } from "./plan.ts";

const SHAPE: Definition = {
  name: "posts",
  fields: {
    a: { type: "String" },
    n: { type: "Number" },
    o: { type: "Object", fields: { p: { type: "Date" } } },
    list: { type: "Array" },
    at: { type: "Date", isAlwaysSet: true },
    isDeleted: { type: "Boolean" },
  },
  indexes: [],
  trash: false,
};
const WITH_TRASH: Definition = { ...SHAPE, trash: true };

const ID = "66f1a0c2e4b0a1b2c3d4e5f6";
const LIVE = eq("isDeleted", false);

const keys = (...paths: string[]): SortKey[] =>
  paths.map((path) => ({ path: path.replace("-", ""), descending: path.startsWith("-") }));

const from = (...values: Scalar[]): Position => ({ id: ID, values });

const query = (parts: Partial<ListQuery>): ListQuery => ({
  filter: ALL,
  sort: [],
  limit: 20,
  ...parts,
});

/** Returns the statement of a page that an index serves, which has no guard. */
const statementOf = (definition: Definition, query: ListQuery): PageStatement =>
  pageStatement({ ...planQuery(definition, query), isServed: true }, query);

/** Returns the range and the order of each query of a page. */
function ranges(parts: Partial<ListQuery>, definition = SHAPE): string[] {
  const text = seqSql(parts, definition);
  const links = text.split(" union all ");
  return links.map((link, at) => {
    const form = links.length === 1 ? /^(.*)( limit \?)$/ : /^select seq from \((.*)\)(.*)$/;
    const [, query, end] = form.exec(link) ?? assert.fail(text);
    assert.equal(end, at === links.length - 1 ? " limit ?" : "");
    const match = /^select seq from "r_posts" where \((.*?)\) and (.*)$/.exec(query!);
    return match?.[2] ?? assert.fail(text);
  });
}

const seqSql = (parts: Partial<ListQuery>, definition: Definition): string =>
  statementOf(definition, query(parts)).sql.seq.replaceAll("?+0", "?");

/** Returns the bound values of a page. */
const values = (parts: Partial<ListQuery>, definition = SHAPE) =>
  boundPage(statementOf(definition, query(parts)), "seq", query(parts)).values;

const A = `json_extract(doc,'$."a"')`;
const N = `cast(json_extract(doc,'$."n"') as real)`;
const P = `json_extract(doc,'$."o"."p"')`;

Deno.test("the first page is one statement in sort order, with ties broken by id", () => {
  assert.deepEqual(ranges({}), ["1 order by id"]);
  assert.deepEqual(ranges({ sort: keys("a") }), [`1 order by ${A}, id`]);
  assert.deepEqual(ranges({ sort: keys("-a") }), [`1 order by ${A} desc, id desc`]);
  assert.deepEqual(ranges({ sort: keys("a", "-n") }), [`1 order by ${A}, ${N} desc, id desc`]);
  assert.deepEqual(ranges({ sort: keys("-o.p", "n") }), [`1 order by ${P} desc, ${N}, id`]);
});

Deno.test("keys after the id are ignored", () => {
  assert.deepEqual(ranges({ sort: keys("a", "-_id", "n") }), [`1 order by ${A}, id desc`]);
  assert.deepEqual(ranges({ sort: keys("_id") }), ["1 order by id"]);
});

Deno.test("reading backwards reverses all directions", () => {
  const backwards = true;
  assert.deepEqual(ranges({ sort: keys("a", "-n"), backwards }), [
    `1 order by ${A} desc, ${N}, id`,
  ]);
});

Deno.test("after a position the list continues in ranges, the nearest first", () => {
  assert.deepEqual(
    ranges({ sort: keys("a"), from: from("x") }),
    [`${A} = ? and id > ? order by id`, `${A} > ? order by ${A}, id`],
  );
  assert.deepEqual(ranges({ sort: keys("a", "-n"), from: from("x", 5) }), [
    `${A} = ? and ${N} = ? and id < ? order by id desc`,
    `${A} = ? and ${N} < ? order by ${N} desc, id desc`,
    `${A} = ? and ${N} is null order by id desc`,
    `${A} > ? order by ${A}, ${N} desc, id desc`,
  ]);
});

Deno.test("nulls sort first: all values follow them ascending, and none do descending", () => {
  assert.deepEqual(ranges({ sort: keys("a"), from: from(null) }), [
    `${A} is null and id > ? order by id`,
    `${A} >= '' order by ${A}, id`,
  ]);
  assert.deepEqual(
    ranges({ sort: keys("n"), from: from(null) })[1],
    `${N} >= -9e999 order by ${N}, id`,
  );
  assert.deepEqual(
    ranges({ sort: keys("o.p"), from: from(null) })[1],
    `${P} >= '' order by ${P}, id`,
  );
  assert.deepEqual(ranges({ sort: keys("-a"), from: from(null) }), [
    `${A} is null and id < ? order by id desc`,
  ]);
  assert.deepEqual(ranges({ sort: keys("-a"), from: from("x") }), [
    `${A} = ? and id < ? order by id desc`,
    `${A} < ? order by ${A} desc, id desc`,
    `${A} is null order by id desc`,
  ]);
});

Deno.test("a field that is always set needs no range of nulls", () => {
  const AT = `json_extract(doc,'$."at"')`;
  assert.deepEqual(ranges({ sort: keys("-at"), from: from("2026") }), [
    `${AT} = ? and id < ? order by id desc`,
    `${AT} < ? order by ${AT} desc, id desc`,
  ]);
});

Deno.test("before a position the ranges are those of the reversed list", () => {
  assert.deepEqual(ranges({ sort: keys("a"), from: from("x"), backwards: true }), [
    `${A} = ? and id < ? order by id desc`,
    `${A} < ? order by ${A} desc, id desc`,
    `${A} is null order by id desc`,
  ]);
});

Deno.test("an inclusive position adds only its own record", () => {
  const included = { ...from("x"), inclusive: true };
  assert.deepEqual(ranges({ sort: keys("a"), from: included }), [
    `${A} = ? and id >= ? order by id`,
    `${A} > ? order by ${A}, id`,
  ]);
  assert.deepEqual(ranges({ sort: keys("-a"), from: included }).slice(0, 2), [
    `${A} = ? and id <= ? order by id desc`,
    `${A} < ? order by ${A} desc, id desc`,
  ]);
});

Deno.test("each range takes the filter's values and its own, and the limit is one row higher", () => {
  const parts = { filter: eq("n", 7), sort: keys("a", "-n"), from: from("x", 5) };
  assert.deepEqual(values(parts), [
    ...[7, "x", 5, ID],
    ...[7, "x", 5],
    ...[7, "x"],
    ...[7, "x"],
    21,
  ]);
  assert.deepEqual(values({ filter: eq("n", 7) }), [7, 21]);
  assert.deepEqual(values({ offset: 40 }), [21, 40]);
});

Deno.test("queries of one shape share a statement for all positions", () => {
  const sort = keys("a");
  const statement = statementOf(SHAPE, query({ sort, from: from("x") }));
  const elsewhere = query({ sort, from: { id: "b", values: ["y"] } });
  assert.deepEqual(boundPage(statement, "seq", elsewhere).values, ["y", "b", "y", 21]);
  const shape = statementOf(SHAPE, query({ sort, from: from("x") })).sql["seq, text"];
  assert.equal(
    statementOf(SHAPE, query({ sort, from: from("y"), limit: 30 })).sql["seq, text"],
    shape,
  );
  const others = [
    query({ sort, from: from(null) }),
    query({ sort }),
    query({ sort, from: from("x"), backwards: true }),
    query({ sort: keys("n"), from: from("x") }),
    query({ sort: keys("a", "n"), from: from("x", 1) }),
    query({ sort, from: { ...from("x"), inclusive: true } }),
  ].map((one) => statementOf(SHAPE, one).sql["seq, text"]);
  assert.equal(new Set([shape, ...others]).size, 7);
});

Deno.test("booleans are bound as numbers", () => {
  const sort = keys("isDeleted");
  assert.deepEqual(values({ sort, from: from(true) }), [1, ID, 1, 21]);
});

Deno.test("a list of only live or only deleted records reads one side of the trash", () => {
  const statement = statementOf(WITH_TRASH, query({ filter: LIVE, sort: keys("a") }));
  assert.equal(statement.isSplit, false);
  assert.equal(statement.sql.seq.includes("union"), false);
});

Deno.test("a list of live and deleted records merges two ordered sides", () => {
  const parts = { filter: eq("n", 7), sort: keys("-a") };
  const side = (deleted: number) =>
    `select seq, ".a" as k0, id as k1 from "r_posts" where ` +
    `".is^deleted" = ${deleted} and (".n" = ?) and 1`;
  assert.equal(
    seqSql(parts, WITH_TRASH),
    `${side(0)} union all ${side(1)} order by k0 desc, k1 desc limit ?`,
  );
  assert.deepEqual(values(parts, WITH_TRASH), [7, 7, 21]);
});

Deno.test("after a position each merged range has the limit of the page", () => {
  const parts = { filter: eq("n", 7), sort: keys("a"), from: from("x") };
  const text = seqSql(parts, WITH_TRASH);
  assert.equal(text.match(/limit \?(?=\) union all|\) limit \?$)/g)?.length, 2, text);
  assert.deepEqual(values(parts, WITH_TRASH), [
    ...[7, "x", ID, 7, "x", ID, 21],
    ...[7, "x", 7, "x", 21],
    21,
  ]);
});

Deno.test("texts are read with the page only if all of them fit the page", () => {
  const known = { ...SHAPE, bytesMax: 1_048_576 };
  assert.equal(inlineBytesMax(known, { limit: 15 }), null);
  assert.equal(inlineBytesMax(known, { limit: 20 }), 524_288);
  assert.equal(inlineBytesMax(SHAPE, { limit: 1 }), 8_388_608);
  assert.equal(inlineBytesMax(known, { limit: 1000 }), 16_384);
  assert.equal(inlineBytesMax(known, { limit: 1000, bytesMax: 10 }), 1);
  const text = (limit: number) => statementOf(known, query({ limit })).sql["seq, text"];
  assert.match(text(15), /^select seq, doc from/);
  const longer =
    /^select seq, case when octet_length\(doc\) <= 524288 then doc else octet_length\(doc\) end from/;
  assert.match(text(20), longer);
  assert.notEqual(
    statementOf(known, query({ limit: 20 })).sql["seq, text"],
    statementOf(known, query({ limit: 100 })).sql["seq, text"],
  );
});

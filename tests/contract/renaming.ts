import assert from "node:assert/strict";
import { ALL, and, compare, eq } from "@/lib/store/filter.ts";
import type { Definition, Engine, Id, StoredRecord } from "@/lib/store/port.ts";
import {
  assertRefused,
  countsOf,
  exists,
  id,
  keys,
  listAll,
  newSpace,
  stateOf,
  trashDefinition,
  uniqueViolation,
  upTo,
} from "./fixtures.ts";
import type { Cases } from "./suite.ts";

const BEFORE = trashDefinition({
  fields: {
    a: { type: "String" },
    n: { type: "Number" },
    at: { type: "Date" },
    list: { type: "Array", items: { type: "String" } },
    o: { type: "Object", fields: { in: { type: "Number" } } },
    kept: { type: "String" },
  },
  indexes: [
    { keys: keys("a"), unique: true },
    { keys: keys("n", "-kept") },
    { keys: keys("list") },
    { keys: keys("o.in") },
  ],
  search: ["a", "kept"],
});

const AFTER = trashDefinition({
  fields: {
    b: { type: "String" },
    m: { type: "Number" },
    on: { type: "Date" },
    tags: { type: "Array", items: { type: "String" } },
    p: { type: "Object", fields: { in: { type: "Number" } } },
    kept: { type: "String" },
  },
  indexes: [
    { keys: keys("b"), unique: true },
    { keys: keys("m", "-kept") },
    { keys: keys("tags") },
    { keys: keys("p.in") },
  ],
  search: ["b", "kept"],
});

const RENAMES = [
  { from: "a", to: "b" },
  { from: "n", to: "m" },
  { from: "at", to: "on" },
  { from: "list", to: "tags" },
  { from: "o", to: "p" },
];

const RENAMING: Definition = { ...AFTER, renames: RENAMES };

const row = (n: number) => ({
  _id: id(n),
  a: `word${n}`,
  n: n / 4,
  kept: `k${n % 3}`,
  at: new Date(1.7e12 + n).toISOString(),
  list: ["all", `t${n % 4}`],
  o: { in: n, more: [n] },
  isDeleted: n % 5 === 0,
});

/** Returns the fields of {@linkcode row} after the renames. */
const renamedRow = ({ a, n, at, list, o, ...rest }: ReturnType<typeof row>) => ({
  ...rest,
  b: a,
  m: n,
  on: at,
  tags: list,
  p: o,
});

async function define(engine: Engine, space: Id, after: Definition, before = BEFORE) {
  await engine.transaction(space, (tx) => tx.define(after, before));
}

const inOrder = (rows: readonly StoredRecord[]) => rows.map((one) => Object.entries(one));

export const renamingCases: Cases = {
  "values of renamed fields are found under the new names by every condition": async (
    { engine },
  ) => {
    const space = newSpace();
    const before = engine.records(space, BEFORE);
    await before.insertMany(upTo(20).map(row));
    const counts = await countsOf(before);
    await define(engine, space, RENAMING);
    const records = engine.records(space, AFTER);
    assert.deepEqual(await listAll(records), upTo(20).map((n) => renamedRow(row(n))));
    assert.deepEqual(await countsOf(records), counts);
    const live = eq("isDeleted", false);
    assert.equal(await records.count(and(live, eq("b", "word7"))), 1);
    assert.equal(await records.count(compare("m", "gte", 2.5)), 10);
    assert.equal(await records.count(compare("on", "lt", new Date(1.7e12 + 3).toISOString())), 3);
    assert.equal(await records.count(and(live, eq("tags", "all"))), counts.live);
    assert.equal(await records.count(compare("p.in", "gt", 17)), 2);
    assert.equal(await records.count({ op: "search", words: ["word1"] }), 11);
    assert.equal(await records.count({ op: "search", words: ["k0", "word3"] }), 1);
    for (const { from } of RENAMES) assert.equal(await records.count(exists(from, true)), 0);
    const { index } = await records.explain({
      filter: and(live, eq("m", 1)),
      sort: keys("-kept"),
      limit: 5,
    });
    assert.deepEqual(index, keys("m", "-kept"));
    const { a: _, ...other } = row(99);
    await assertRefused(
      records,
      uniqueViolation("b"),
      () => records.insert({ ...other, b: "word7", isDeleted: false }),
    );
  },

  "a record with a renamed field gets a new revision, and others do not": async ({ engine }) => {
    const space = newSpace();
    const before = engine.records(space, BEFORE);
    await before.insertMany([
      { _id: id(1), a: null, isDeleted: false },
      { _id: id(2), kept: "x", a2: 1, isDeleted: false },
      { _id: id(3), n: 5, isDeleted: true },
      { _id: id(4), kept: "y", b: null, isDeleted: false },
    ]);
    await before.updateOne(eq("_id", id(2)), { set: { kept: "z" } });
    await define(engine, space, RENAMING);
    const records = engine.records(space, AFTER);
    const found = await Promise.all([1, 2, 3, 4].map((n) => records.get(id(n))));
    assert.deepEqual(found.map((one) => one!.revision), [2, 2, 2, 1]);
    assert.deepEqual(found.map((one) => one!.value), [
      { _id: id(1), isDeleted: false, b: null },
      { _id: id(2), kept: "z", a2: 1, isDeleted: false },
      { _id: id(3), isDeleted: true, m: 5 },
      { _id: id(4), kept: "y", b: null, isDeleted: false },
    ]);
    const changed = await records.updateOne(
      and(eq("_id", id(3)), { op: "revision", value: 2 }),
      { increment: { m: 1 } },
    );
    assert.equal(changed?.value.m, 6);
  },

  "renamed values are unchanged and come last, in the order of their names": async ({ engine }) => {
    const space = newSpace();
    const before = trashDefinition({ fields: { z: { type: "Object" }, y: { type: "Number" } } });
    const values = {
      text: 'a "quoted" \\ \u2028 \u{1f600} \u0001 é',
      numbers: [1e21, 0.1, 5e-324, 1.7976931348623157e308, -0.5, 9007199254740993, 0],
      none: null,
      deep: { deep: [{ z: 1, y: [] }, {}] },
    };
    await engine.records(space, before).insertMany([
      { _id: id(1), z: values, y: 1e300, last: true, isDeleted: false },
      { _id: id(2), isDeleted: false, z: {} },
      { _id: id(3), y: -1.5, isDeleted: false },
    ]);
    const after = trashDefinition({ fields: { c: { type: "Object" }, d: { type: "Number" } } });
    const renames = [{ from: "y", to: "d" }, { from: "z", to: "c" }];
    await define(engine, space, { ...after, renames }, before);
    const records = engine.records(space, after);
    assert.deepEqual(
      inOrder(await listAll(records)),
      inOrder([
        { _id: id(1), last: true, isDeleted: false, c: values, d: 1e300 },
        { _id: id(2), isDeleted: false, c: {} },
        { _id: id(3), isDeleted: false, d: -1.5 },
      ]),
    );
    const [first] = (await records.list({ filter: ALL, sort: [], limit: 1 })).texts;
    assert.equal(first, JSON.stringify(JSON.parse(first!)));
  },

  "a renamed field may get another type that fits its values": async ({ engine }) => {
    const space = newSpace();
    const before = trashDefinition({ fields: { a: { type: "String" } } });
    const at = (n: number) => `2026-01-0${n}T00:00:00.000Z`;
    await engine.records(space, before)
      .insertMany([1, 2, 3].map((n) => ({ _id: id(n), a: at(n), isDeleted: false })));
    const after = trashDefinition({
      fields: { b: { type: "Date" } },
      indexes: [{ keys: keys("b") }],
    });
    await define(engine, space, { ...after, renames: [{ from: "a", to: "b" }] }, before);
    const records = engine.records(space, after);
    assert.deepEqual(
      (await listAll(records, compare("b", "gte", at(2)), keys("-b"))).map(({ b }) => b),
      [at(3), at(2)],
    );
  },

  "a rename is undone with its transaction": async ({ engine }) => {
    const space = newSpace();
    const records = engine.records(space, BEFORE);
    await records.insertMany(upTo(5).map(row));
    const state = await stateOf(records);
    const failure = new Error("changed our mind");
    await assert.rejects(
      () =>
        engine.transaction(space, async (tx) => {
          await tx.define(RENAMING, BEFORE);
          throw failure;
        }),
      failure,
    );
    assert.deepEqual(await stateOf(records), state);
    assert.equal(await records.count(eq("a", "word3")), 1);
  },

  "the bytes of renamed records are counted after the rename": async ({ engine }) => {
    const space = newSpace();
    const before = trashDefinition({ fields: { a: { type: "String" } } });
    const after = trashDefinition({ fields: { muchLonger: { type: "String" } } });
    await engine.records(space, before)
      .insertMany(upTo(10).map((n) => ({ _id: id(n), a: "x", isDeleted: n > 5 })));
    const was = await engine.bytes(space);
    const renames = [{ from: "a", to: "muchLonger" }];
    await define(engine, space, { ...after, renames }, before);
    assert.equal(await engine.bytes(space), was + 10 * ("muchLonger".length - 1));
    assert.equal(await engine.recount(space, after), 0);
  },
};

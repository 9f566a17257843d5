import assert from "node:assert/strict";
import { ALL, and, eq } from "@/lib/store/filter.ts";
import type { Definition, Engine, Space } from "@/lib/store/port.ts";
import {
  assertRefused,
  definition,
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

const FIELDS: Definition["fields"] = { a: { type: "String" }, b: { type: "String" } };

const shape = (indexes: Definition["indexes"]): Definition =>
  definition({ fields: FIELDS, indexes });

const unique = (path: string): Definition["indexes"][number] => ({
  keys: keys(path),
  unique: true,
});
const listing = (...paths: string[]): Definition["indexes"][number] => ({ keys: keys(...paths) });

const define = (engine: Engine, space: Space, next: Definition): Promise<void> =>
  engine.transaction(space, (tx) => tx.define(next));

export const definitionCases: Cases = {
  "a definition can be used any number of times": async ({ engine }) => {
    const space = newSpace();
    const make = () => engine.records(space, shape([unique("a"), listing("b", "-a")]));
    await make().insert({ _id: id(1), a: "x" });
    await define(engine, space, shape([unique("a"), listing("b", "-a")]));
    await Promise.all(Array.from({ length: 20 }, () => make().count(ALL)));
    await assertRefused(
      make(),
      uniqueViolation("a"),
      () => make().insert({ _id: id(2), a: "x" }),
    );
    assert.deepEqual(await listAll(make(), ALL, keys("b", "-a")), [{ _id: id(1), a: "x" }]);
  },

  "define applies new indexes to stored records": async ({ engine }) => {
    const space = newSpace();
    await engine.records(space, shape([])).insert({ _id: id(1), a: "x", b: "y" });
    const next = shape([unique("a"), listing("b")]);
    await define(engine, space, next);
    const records = engine.records(space, next);
    await assertRefused(
      records,
      uniqueViolation("a"),
      () => records.insert({ _id: id(2), a: "x" }),
    );
    assert.deepEqual(await listAll(records, ALL, keys("b")), [{ _id: id(1), a: "x", b: "y" }]);
  },

  "indexes prepared for a definition are complete when it takes effect": async ({ engine }) => {
    const space = newSpace();
    const fields: Definition["fields"] = {
      a: { type: "String" },
      list: { type: "Array", items: { type: "String" } },
    };
    const before = trashDefinition({ fields, indexes: [listing("a")] });
    const after = trashDefinition({ fields, indexes: [listing("list", "a"), unique("a")] });
    const records = engine.records(space, before);
    const row = (n: number) => ({ _id: id(n), a: `${n}`, list: ["x", `${n}`], isDeleted: false });
    await records.insertMany(upTo(50).map(row));
    const make = await engine.concurrentIndexBuild(space, after);
    await Promise.all([make?.(), ...upTo(20).map((n) => records.insert(row(100 + n)))]);
    await records.insert({ ...row(200), a: "taken" });
    await define(engine, space, after);
    const now = engine.records(space, after);
    const filter = and(eq("isDeleted", false), eq("list", "x"));
    assert.equal(await now.count(filter), 71);
    const { index } = await now.explain({ filter, sort: keys("a"), limit: 5, total: false });
    assert.deepEqual(index, keys("list", "a"));
    await assertRefused(now, uniqueViolation("a"), () => now.insert({ ...row(201), a: "taken" }));
  },

  "define drops indexes that the definition does not name": async ({ engine }) => {
    const space = newSpace();
    await engine.records(space, shape([unique("a"), unique("b")])).insert({
      _id: id(1),
      a: "x",
      b: "y",
    });
    const next = shape([unique("b"), listing("a")]);
    await define(engine, space, next);
    const records = engine.records(space, next);
    await records.insert({ _id: id(2), a: "x", b: "z" });
    await assertRefused(
      records,
      uniqueViolation("b"),
      () => records.insert({ _id: id(3), a: "x", b: "y" }),
    );
    assert.equal(await records.count(ALL), 2);
  },

  "an indexed field may change its type": async ({ engine }) => {
    const space = newSpace();
    const indexes = [unique("a"), listing("b")];
    await engine.records(space, shape(indexes)).insert({ _id: id(1) });
    const fields: Definition["fields"] = { a: { type: "Number" }, b: { type: "Number" } };
    await define(engine, space, definition({ fields, indexes }));
    const records = engine.records(space, definition({ fields, indexes }));
    await records.insert({ _id: id(2), a: 1, b: 10 });
    await records.insert({ _id: id(3), a: 2, b: 9 });
    await assertRefused(
      records,
      uniqueViolation("a"),
      () => records.insert({ _id: id(4), a: 1 }),
    );
    const listed = await listAll(records, ALL, keys("b"));
    assert.deepEqual(listed.map(({ _id }) => _id), [id(1), id(3), id(2)]);
  },

  "define does not affect the indexes of other definitions": async ({ engine }) => {
    const space = newSpace();
    const other = { ...shape([unique("a")]), name: "others" };
    const longer = { ...shape([unique("a")]), name: "things2" };
    await engine.records(space, other).insert({ _id: id(1), a: "x" });
    await engine.records(space, longer).insert({ _id: id(1), a: "x" });
    await engine.records(space, shape([unique("a")])).insert({ _id: id(1), a: "x" });
    await define(engine, space, shape([]));
    for (const kept of [other, longer]) {
      const records = engine.records(space, kept);
      await assertRefused(
        records,
        uniqueViolation("a"),
        () => records.insert({ _id: id(2), a: "x" }),
      );
    }
  },

  "define works without stored records": async ({ engine }) => {
    const space = newSpace();
    await define(engine, space, shape([unique("a")]));
    const records = engine.records(space, shape([unique("a")]));
    assert.equal(await records.count(ALL), 0);
    await records.insert({ _id: id(1), a: "x" });
    await assertRefused(
      records,
      uniqueViolation("a"),
      () => records.insert({ _id: id(2), a: "x" }),
    );
  },

  "a unique index that stored records violate is refused and changes nothing": async (
    { engine },
  ) => {
    const space = newSpace();
    const before = shape([unique("a")]);
    const records = engine.records(space, before);
    await records.insertMany([
      { _id: id(1), a: "1", b: "same" },
      { _id: id(2), a: "2", b: "same" },
    ]);
    const state = await stateOf(records);
    await assert.rejects(
      () => define(engine, space, shape([listing("a"), unique("b")])),
      uniqueViolation("b"),
    );
    assert.deepEqual(await stateOf(records), state);
    await assertRefused(
      records,
      uniqueViolation("a"),
      () => records.insert({ _id: id(3), a: "1" }),
    );
    await records.insert({ _id: id(3), a: "3", b: "same" });
  },

  "deleted records do not violate a new unique index": async ({ engine }) => {
    const space = newSpace();
    const before = trashDefinition({ fields: FIELDS });
    await engine.records(space, before).insertMany([
      { _id: id(1), a: "same", isDeleted: false },
      { _id: id(2), a: "same", isDeleted: true },
      { _id: id(3), a: null, isDeleted: false },
      { _id: id(4), isDeleted: false },
    ]);
    const next = trashDefinition({ fields: FIELDS, indexes: [unique("a")] });
    await define(engine, space, next);
    const records = engine.records(space, next);
    await assertRefused(
      records,
      uniqueViolation("a"),
      () => records.insert({ _id: id(5), a: "same", isDeleted: false }),
    );
  },

  "define does not change records, revisions and counts": async ({ engine }) => {
    const space = newSpace();
    const before = trashDefinition({ fields: FIELDS, indexes: [listing("a")] });
    const records = engine.records(space, before);
    await records.insertMany(
      upTo(5).map((n) => ({ _id: id(n), a: `${n}`, isDeleted: n > 2 })),
    );
    await records.updateOne(ALL, { set: { b: "x" } });
    const state = await stateOf(records);
    const next = trashDefinition({ fields: FIELDS, indexes: [unique("a"), listing("b")] });
    await define(engine, space, next);
    assert.deepEqual(await stateOf(engine.records(space, next)), state);
    // Without define too, missing indexes are added on first use.
    const more = { ...next, indexes: [...next.indexes, listing("-a", "b")] };
    assert.deepEqual(await stateOf(engine.records(space, more)), state);
  },

  "define is undone with its transaction": async ({ engine }) => {
    const space = newSpace();
    const before = shape([unique("a")]);
    const records = engine.records(space, before);
    await records.insert({ _id: id(1), a: "x" });
    const failure = new Error("changed our mind");
    await assert.rejects(
      () =>
        engine.transaction(space, async (tx) => {
          await tx.define(shape([unique("b")]));
          throw failure;
        }),
      failure,
    );
    await assertRefused(
      records,
      uniqueViolation("a"),
      () => records.insert({ _id: id(2), a: "x" }),
    );
    await records.insert({ _id: id(2), b: "same" });
    await records.insert({ _id: id(3), b: "same" });
  },

  "define and writes of a transaction take effect together": async ({ engine }) => {
    const space = newSpace();
    await engine.records(space, shape([unique("a")])).insert({ _id: id(1), a: "x" });
    const next = shape([unique("b")]);
    await engine.transaction(space, async (tx) => {
      await tx.define(next);
      await tx.records(next).insert({ _id: id(2), a: "y", b: "y" });
    });
    const records = engine.records(space, next);
    await records.insert({ _id: id(3), a: "x", b: "z" });
    await assertRefused(
      records,
      uniqueViolation("b"),
      () => records.insert({ _id: id(4), a: "z", b: "y" }),
    );
    assert.equal(await records.count(ALL), 3);
  },

  "fields whose names differ only in letter case can both be indexed": async ({ engine }) => {
    const next = definition({
      fields: { name: { type: "String" }, Name: { type: "String" } },
      indexes: [unique("name"), unique("Name"), listing("name"), listing("Name")],
    });
    const records = engine.records(newSpace(), next);
    await records.insert({ _id: id(1), name: "x", Name: "y" });
    await records.insert({ _id: id(2), name: "y", Name: "x" });
    await assertRefused(
      records,
      uniqueViolation("Name"),
      () => records.insert({ _id: id(3), Name: "x" }),
    );
  },

  "a field with an expiry is stored and found like any other": async ({ engine }) => {
    const next = definition({ fields: { until: { type: "Date" } }, expiry: "until" });
    const records = engine.records(newSpace(), next);
    const until = "2999-01-01T00:00:00.000Z";
    await records.insertMany([{ _id: id(1), until }, { _id: id(2), until: null }, { _id: id(3) }]);
    assert.deepEqual(
      (await listAll(records, ALL, keys("-until"))).map((row) => row._id),
      [id(1), id(3), id(2)],
    );
  },
};

import assert from "node:assert/strict";
import { ALL, and, compare, eq, not, or, within } from "@/lib/store/filter.ts";
import type {
  Definition,
  Engine,
  Filter,
  Index,
  ListQuery,
  Records,
  Scalar,
  Space,
  StoredRecord,
} from "@/lib/store/port.ts";
import {
  exists,
  id,
  idsOf,
  keys,
  newSpace,
  nin,
  regex,
  trashDefinition,
  upTo,
} from "./fixtures.ts";
import { matches } from "./model.ts";
import type { Cases } from "./suite.ts";

const listing = (...paths: string[]): Index => ({ keys: keys(...paths) });

const INDEXES: readonly Index[] = [
  listing("tags"),
  listing("tags", "-rank"),
  listing("group", "tags", "rank"),
  listing("scores"),
  listing("inner.flags"),
  listing("rank"),
];

const shape = (indexes: readonly Index[]): Definition =>
  trashDefinition({
    fields: {
      group: { type: "String" },
      rank: { type: "Number" },
      tags: { type: "Array", items: { type: "String" } },
      scores: { type: "Array", items: { type: "Number" } },
      inner: {
        type: "Object",
        fields: { flags: { type: "Array", items: { type: "Boolean" } } },
      },
    },
    indexes,
  });

const INDEXED = shape(INDEXES);
const BARE = shape([]);

const TAGS = [undefined, null, [], ["a"], ["a", "b"], ["b", "a", "b"], ["c", null], [null], [""]];
const SCORES = [undefined, [1, 2.5], [-1, 1e300], [], [2, 2, 3], null];
const FLAGS = [undefined, {}, { flags: [true] }, { flags: [false, true] }, { flags: [] }];

const row = (n: number): StoredRecord => {
  const [tags, scores, inner] = [TAGS, SCORES, FLAGS].map((all) => all[n % all.length]);
  return {
    _id: id(n),
    ...(n % 4 > 0 && { group: `g${n % 3}` }),
    rank: n % 10,
    ...(tags !== undefined && { tags }),
    ...(scores !== undefined && { scores }),
    ...(inner !== undefined && { inner }),
    isDeleted: n % 7 === 0,
  };
};

const CONDITIONS: readonly Filter[] = [
  eq("tags", "a"),
  eq("tags", null),
  eq("tags", ""),
  eq("tags", 1),
  compare("tags", "ne", "a"),
  compare("tags", "gte", "b"),
  compare("tags", "lt", "b"),
  within("tags", ["a", "c", "nobody"]),
  within("tags", ["b", null]),
  within("tags", []),
  nin("tags", ["a", "b"]),
  nin("tags", ["a", null]),
  exists("tags", true),
  regex("tags", "^B"),
  eq("scores", 2),
  eq("scores", 1e300),
  and(compare("scores", "gt", 1), compare("scores", "lt", 2)),
  within("scores", [1, 3]),
  eq("inner.flags", true),
  compare("inner.flags", "ne", false),
  and(eq("tags", "a"), eq("tags", "b")),
  and(eq("tags", "a"), eq("group", "g1")),
  and(eq("tags", "a"), eq("isDeleted", true)),
  and(eq("tags", "a"), eq("group", "g1"), eq("group", "g2")),
  and(eq("tags", "b"), eq("rank", 1), eq("tags", "b")),
  and(eq("tags", "a"), eq("group", null)),
  and(eq("tags", "b"), eq("rank", 4)),
  and(eq("tags", "a"), eq("scores", 2), compare("rank", "gt", 2)),
  and(within("tags", ["a", "b"]), eq("group", "g2")),
  or(eq("tags", "c"), eq("scores", 3)),
  not(eq("tags", "a")),
  not(and(eq("tags", "a"), eq("inner.flags", true))),
];

const SIDES: readonly Filter[] = [ALL, eq("isDeleted", false), eq("isDeleted", true)];
const SORTS = [[], keys("-rank"), keys("rank"), keys("rank", "-group"), keys("-_id")];

/** Returns all results of a query, read by small pages in both directions. */
async function readAll(records: Records, query: Pick<ListQuery, "filter" | "sort">) {
  const completeList = await records.list({ ...query, limit: 1_000, total: true });
  const [ids, total] = [idsOf(completeList), completeList.total];
  assert.equal(await records.count(query.filter), total);
  assert.equal(ids.length, total);
  for (const backwards of [false, true]) {
    const read: string[] = [];
    let page = await records.list({ ...query, limit: 4, backwards });
    for (;;) {
      if (backwards) read.unshift(...idsOf(page));
      else read.push(...idsOf(page));
      if (!page.more) break;
      const from = (backwards ? page.first() : page.last())!;
      page = await records.list({ ...query, limit: 4, backwards, from });
    }
    assert.deepEqual(read, ids, `backwards: ${backwards}`);
  }
  return ids;
}

async function assertSame(engine: Engine, space: Space, rows: readonly StoredRecord[]) {
  const records = engine.records(space, INDEXED);
  for (const condition of CONDITIONS) {
    for (const side of SIDES) {
      const filter = and(condition, side);
      const expected = rows.filter((one) => matches(one, filter)).map(({ _id }) => _id).sort();
      for (const sort of SORTS) {
        const ids = await readAll(records, { filter, sort });
        assert.deepEqual(ids.toSorted(), expected, JSON.stringify({ filter, sort }));
      }
    }
  }
}

const define = (engine: Engine, space: Space, next: Definition, before: Definition) =>
  engine.transaction(space, (tx) => tx.define(next, before));

export const arrayIndexCases: Cases = {
  "an index over an array does not change results": async ({ engine }) => {
    const space = newSpace();
    const rows = upTo(60).map(row);
    await engine.records(space, INDEXED).insertMany(rows);
    await assertSame(engine, space, rows);
  },

  "an index over an array includes records that were stored before it": async ({ engine }) => {
    const space = newSpace();
    const rows = upTo(60).map(row);
    await engine.records(space, BARE).insertMany(rows);
    await define(engine, space, INDEXED, BARE);
    await assertSame(engine, space, rows);
    await define(engine, space, BARE, INDEXED);
    const filter = eq("tags", "a");
    const expected = rows.filter((one) => matches(one, filter)).map(({ _id }) => _id);
    assert.deepEqual(await readAll(engine.records(space, BARE), { filter, sort: [] }), expected);
  },

  "an index over an array follows every change of a record": async ({ engine }) => {
    const records = engine.records(newSpace(), INDEXED);
    const found = async (tag: Scalar, isDeleted = false) =>
      await readAll(records, {
        filter: and(eq("tags", tag), eq("isDeleted", isDeleted)),
        sort: keys("-rank"),
      });
    await records.insert({ _id: id(1), tags: ["a"], rank: 1, isDeleted: false });
    await records.upsert(eq("_id", id(2)), {}, {
      _id: id(2),
      tags: ["a", "b"],
      rank: 2,
      isDeleted: false,
    });
    assert.deepEqual(await found("a"), [id(2), id(1)]);
    await records.updateOne(eq("_id", id(1)), { set: { rank: 3 } });
    assert.deepEqual(await found("a"), [id(1), id(2)], "another key of the index");
    await records.updateOne(eq("_id", id(1)), { set: { tags: ["c"] } });
    assert.deepEqual([await found("a"), await found("c")], [[id(2)], [id(1)]]);
    await records.updateOne(eq("_id", id(2)), { set: { isDeleted: true } });
    assert.deepEqual([await found("b"), await found("b", true)], [[], [id(2)]]);
    await records.updateOne(eq("_id", id(2)), { replace: { tags: ["d"], isDeleted: false } });
    assert.deepEqual([await found("b", true), await found("d")], [[], [id(2)]]);
    await records.updateOne(eq("_id", id(2)), { unset: ["tags"] });
    assert.deepEqual(await found("d"), []);
    await records.deleteOne(eq("_id", id(1)));
    assert.deepEqual(await found("c"), []);
    await records.insert({ _id: id(1), tags: ["e"], rank: 1, isDeleted: false });
    assert.deepEqual([await found("c"), await found("e")], [[], [id(1)]]);
    assert.equal(await records.deleteMany(eq("tags", "e"), 10), 1);
    assert.deepEqual(await found("e"), []);
  },

  "an index over an array does not contain undone changes": async ({ engine }) => {
    const space = newSpace();
    const records = engine.records(space, INDEXED);
    await records.insert({ _id: id(1), tags: ["a"], isDeleted: false });
    await assert.rejects(engine.transaction(space, async (tx) => {
      await tx.records(INDEXED).updateOne(eq("_id", id(1)), { set: { tags: ["b"] } });
      throw new Error("undone");
    }));
    assert.equal(await records.count(eq("tags", "a")), 1);
    assert.equal(await records.count(eq("tags", "b")), 0);
  },

  "the elements of an indexed array may change their type": async ({ engine }) => {
    const space = newSpace();
    const before = shape([listing("scores", "rank")]);
    await engine.records(space, before).insert({ _id: id(1), scores: [1], isDeleted: false });
    await engine.records(space, before).updateOne(eq("_id", id(1)), { set: { scores: [] } });
    const fields: Definition["fields"] = {
      ...before.fields,
      scores: { type: "Array", items: { type: "String" } },
      rank: { type: "String" },
    };
    const after = { ...before, fields };
    await define(engine, space, after, before);
    const records = engine.records(space, after);
    await records.insert({ _id: id(2), scores: ["1"], rank: "x", isDeleted: false });
    assert.equal(await records.count(eq("scores", "1")), 1);
    assert.equal(await records.count(eq("scores", 1)), 0);
  },

  "explain names an index over an array and examines its matches": async ({ engine }) => {
    const records = engine.records(newSpace(), INDEXED);
    await records.insertMany(
      upTo(600).map((n) => ({
        _id: id(n),
        rank: n,
        group: "g",
        tags: [`t${n % 20}`, `u${n}`],
        isDeleted: false,
      })),
    );
    const live = eq("isDeleted", false);
    const explained = (filter: Filter, sort = keys("-rank")) =>
      records.explain({ filter: and(live, filter), sort, limit: 10, total: false });
    const found = await explained(eq("tags", "t3"));
    assert.deepEqual(found.index, keys("tags", "-rank"));
    assert.ok(found.examined <= 30, String(found.examined));
    assert.equal(found.advice, null);
    const either = await explained(within("tags", ["t3", "u4"]));
    assert.ok(either.index?.some(({ path }) => path === "tags"), JSON.stringify(either));
    assert.ok(either.examined <= 40, String(either.examined));
    const advised = await engine.records(newSpace(), BARE).explain({
      filter: and(live, eq("tags", "x")),
      sort: [],
      limit: 10,
    });
    assert.deepEqual(advised.advice, keys("tags"));
  },
};

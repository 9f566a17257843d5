import assert from "node:assert/strict";
import { ALL, and, compare, eq } from "@/lib/store/filter.ts";
import type { Explanation, ListQuery, Records } from "@/lib/store/port.ts";
import { id, keys, newSpace, regex, trashDefinition, upTo } from "./fixtures.ts";
import type { Cases, Store } from "./suite.ts";

const SHAPE = trashDefinition({
  fields: {
    group: { type: "String" },
    rank: { type: "Number" },
    note: { type: "String" },
    list: { type: "Array" },
  },
  indexes: [{ keys: keys("group", "rank") }, { keys: keys("rank") }],
});

const LIVE = eq("isDeleted", false);
const ROWS = 600;
const DELETED = 100;
/** Number of live records in a group. */
const IN_GROUP = 25;
/** Number of lists: both bounds of their mean are six standard deviations away. */
const LISTS = 20;

async function storeRecords({ engine }: Store): Promise<Records> {
  const records = engine.records(newSpace(), SHAPE);
  await records.insertMany(
    upTo(ROWS).map((n) => ({
      _id: id(n),
      group: `g${n % 20}`,
      rank: n,
      note: `note ${n}`,
      list: [n],
      isDeleted: n < DELETED,
    })),
  );
  return records;
}

type Asked = Partial<ListQuery>;

const explainQuery = (records: Records, asked: Asked): Promise<Explanation> =>
  records.explain({ filter: LIVE, sort: keys("rank"), limit: 10, total: true, ...asked });

/** Compares with a tolerance: drivers may examine one key more, or one at each end. */
function assertAbout(examined: number, expected: number): void {
  assert.ok(Math.abs(examined - expected) <= 3, `about ${expected}, got ${examined}`);
}

export const explainCases: Cases = {
  "explain names the index of an equality and examines about its matches": async (store) => {
    const records = await storeRecords(store);
    const found = await explainQuery(records, { filter: and(LIVE, eq("group", "g3")) });
    assert.deepEqual(found.index, keys("group", "rank"));
    assertAbout(found.examined, IN_GROUP);
    assert.equal(found.advice, null);
  },

  "explain of a filter without an index examines all records and recommends one for it": async (
    store,
  ) => {
    const records = await storeRecords(store);
    const found = await explainQuery(records, { filter: and(LIVE, eq("note", "note 300")) });
    assert.ok(found.examined >= ROWS - DELETED, String(found.examined));
    assert.deepEqual(found.advice, keys("note", "rank"));
  },

  "explain recommends a longer index if the existing one finds many records": async (
    store,
  ) => {
    const records = await storeRecords(store);
    const [few, many] = ["few", "many"];
    await records.insertMany(
      upTo(1_100).map((n) => ({
        _id: id(10_000 + n),
        group: n < 20 ? few : many,
        rank: n,
        note: `note ${n}`,
        isDeleted: false,
      })),
    );
    const adviceFor = async (group: string) =>
      (await explainQuery(records, { filter: and(LIVE, eq("group", group)), sort: keys("-note") }))
        .advice;
    assert.equal(await adviceFor(few), null);
    assert.deepEqual(await adviceFor(many), keys("group", "-note"));
  },

  "explain of a pattern examines all records and recommends no index": async (store) => {
    const records = await storeRecords(store);
    const found = await explainQuery(records, { filter: and(LIVE, regex("note", "^note 3")) });
    assert.ok(found.examined >= ROWS - DELETED, String(found.examined));
    assert.equal(found.advice, null);
  },

  "explain of a page in the order of an index examines only shown and skipped records": async (
    store,
  ) => {
    const records = await storeRecords(store);
    for (const sort of [keys("rank"), keys("-rank")]) {
      const found = await explainQuery(records, { sort, total: false });
      assert.deepEqual(found.index, keys("rank"));
      assertAbout(found.examined, 10);
      assert.equal(found.advice, null);
    }
    const far = await explainQuery(records, { offset: 300, total: false });
    assertAbout(far.examined, 310);
  },

  "explain of a sort without an index examines all records and recommends one for it": async (
    store,
  ) => {
    const records = await storeRecords(store);
    const found = await explainQuery(records, { sort: keys("-note", "rank"), total: false });
    assert.equal(found.index, null);
    assertAbout(found.examined, ROWS - DELETED);
    assert.deepEqual(found.advice, keys("-note", "rank"));
  },

  "explain of a range by an index examines the range": async (store) => {
    const records = await storeRecords(store);
    const filter = and(LIVE, compare("rank", "gte", 400), compare("rank", "lt", 450));
    const found = await explainQuery(records, { filter });
    assert.deepEqual(found.index, keys("rank"));
    assertAbout(found.examined, 50);
  },

  "a page returns about how many records were examined, or null": async (store) => {
    const records = await storeRecords(store);
    const examinedRows = async (asked: Asked): Promise<number | null> =>
      (await records.list({ filter: LIVE, sort: keys("rank"), limit: 10, ...asked })).examined;
    const ofAll = () => examinedRows({ filter: and(LIVE, eq("note", "note 300")), total: true });
    if (store.engine.name === "mongodb") return assert.equal(await ofAll(), null);
    // The number includes the page and the total. One row in 32 is counted, at random, so a single
    // list may be far off.
    let sum = 0;
    for (let i = 0; i < LISTS; i++) sum += (await ofAll())!;
    const all = sum / LISTS;
    const live = ROWS - DELETED;
    assert.ok(all >= 1.5 * live && all <= 3 * live, String(all));
    assertAbout((await examinedRows({}))!, 10);
    assert.ok((await examinedRows({ offset: 300 }))! >= 300);
    assert.equal(await examinedRows({ filter: and(LIVE, eq("group", "none")) }), 0);
  },

  "explain of an id examines one record": async (store) => {
    const records = await storeRecords(store);
    const found = await explainQuery(records, { filter: and(LIVE, eq("_id", id(300))) });
    assert.ok(found.examined <= 3, String(found.examined));
    assert.equal(found.advice, null);
  },

  "explain counts everything that it reads, even without records": async (store) => {
    const records = store.engine.records(newSpace(), SHAPE);
    for (const filter of [ALL, LIVE, and(LIVE, eq("note", "x")), eq("group", "g1")]) {
      const found = await explainQuery(records, { filter });
      assert.ok(found.examined <= 3, String(found.examined));
    }
  },
};

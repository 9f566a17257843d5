import assert from "node:assert/strict";
import { ALL, compare, eq } from "@/lib/store/filter.ts";
import { PAGE_BYTES_MAX, type StoredRecord } from "@/lib/store/port.ts";
import { definition, id, keys, newSpace, upTo } from "./fixtures.ts";
import type { Cases } from "./suite.ts";

type Numbered = StoredRecord & { n: number };

const NUMBERED = definition({
  fields: { n: { type: "Number" } },
  indexes: [{ keys: keys("n") }],
});

const numberOf = ({ n }: Numbered): number => n;

export const findingCases: Cases = {
  "find yields every match once, in order, over any number of pages": async ({ engine }) => {
    const records = engine.records<Numbered>(newSpace(), NUMBERED);
    const all = upTo(1200).map((n) => ({ _id: id(n), n: 1200 - n }));
    await records.insertMany(all);
    assert.deepEqual(await Array.fromAsync(records.find({ filter: ALL })), all, "by _id");
    const sorted = { filter: compare("n", "gt", 100), sort: keys("n") };
    const expected = upTo(1100).map((n) => n + 101);
    assert.deepEqual(await Array.fromAsync(records.find(sorted), numberOf), expected);
    const descending = { filter: ALL, sort: keys("-n"), limit: 700 };
    const highest = upTo(700).map((n) => 1200 - n);
    assert.deepEqual(await Array.fromAsync(records.find(descending), numberOf), highest);
    assert.deepEqual(await Array.fromAsync(records.find({ filter: eq("n", 5000) })), []);
  },

  "find continues after a page that ended early for its bytes": async ({ engine }) => {
    const records = engine.records<StoredRecord>(newSpace(), definition());
    const text = "x".repeat(PAGE_BYTES_MAX / 4);
    for (const n of upTo(6)) await records.insert({ _id: id(n), text });
    const ids = await Array.fromAsync(records.find({ filter: ALL }), ({ _id }) => _id);
    assert.deepEqual(ids, upTo(6).map(id));
    const five = await Array.fromAsync(records.find({ filter: ALL, limit: 5 }));
    assert.equal(five.length, 5);
  },

  "found records may be changed and removed during the iteration": async ({ engine }) => {
    const records = engine.records<Numbered>(newSpace(), NUMBERED);
    await records.insertMany(upTo(600).map((n) => ({ _id: id(n), n })));
    let found = 0;
    for await (const { _id, n } of records.find({ filter: compare("n", "lt", 600) })) {
      found++;
      if (n % 2 === 0) await records.deleteOne(eq("_id", _id));
      else await records.updateOne(eq("_id", _id), { set: { n: n + 600 } });
    }
    assert.equal(found, 600);
    assert.equal(await records.count(compare("n", "gte", 600)), 300);
    assert.equal(await records.count(ALL), 300);
  },

  "find within a transaction sees its own writes": async ({ engine }) => {
    const space = newSpace();
    await engine.records(space, NUMBERED).insert({ _id: id(1), n: 1 });
    const found = await engine.transaction(space, async (tx) => {
      const records = tx.records<Numbered>(NUMBERED);
      await records.insert({ _id: id(2), n: 2 });
      await records.updateOne(eq("_id", id(1)), { set: { n: 3 } });
      return await Array.fromAsync(records.find({ filter: ALL, sort: keys("n") }), numberOf);
    });
    assert.deepEqual(found, [2, 3]);
  },

  "find that is left early keeps nothing open": async ({ engine }) => {
    const records = engine.records<Numbered>(newSpace(), NUMBERED);
    assert.deepEqual(
      await Array.fromAsync(records.find({ filter: ALL })),
      [],
      "no records are left",
    );
    await records.insertMany(upTo(600).map((n) => ({ _id: id(n), n })));
    for await (const { n } of records.find({ filter: ALL })) if (n === 3) break;
    assert.equal(await records.deleteMany(ALL, 600), 600);
  },

  "a page returns its records repeatedly, in order": async ({ engine }) => {
    const records = engine.records<Numbered>(newSpace(), NUMBERED);
    await records.insertMany(upTo(9).map((n) => ({ _id: id(n), n })));
    const query = { filter: ALL, sort: keys("n"), limit: 3 };
    const page = await records.list({
      ...query,
      from: { values: [6], id: id(6) },
      backwards: true,
    });
    assert.deepEqual(page.records().map(numberOf), [3, 4, 5]);
    page.records()[0]!.n = 1000;
    assert.deepEqual(page.records(), [3, 4, 5].map((n) => ({ _id: id(n), n })));
    assert.deepEqual((await records.list({ ...query, filter: eq("n", 77) })).records(), []);
  },
};

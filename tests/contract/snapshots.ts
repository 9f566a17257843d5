import assert from "node:assert/strict";
import { UniqueViolation } from "@/lib/store/errors.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import {
  type Definition,
  type Snapshot,
  SNAPSHOT_BYTES,
  SNAPSHOT_RECORDS,
  type Stored,
  type StoredRecord,
} from "@/lib/store/port.ts";
import { definition, id, keys, newSpace, upTo } from "./fixtures.ts";
import type { Cases } from "./suite.ts";

const NUMBERED = definition({
  fields: { n: { type: "Number" }, at: { type: "Date" } },
  indexes: [{ keys: keys("n"), unique: true }],
});

const pagesIn = (snapshot: Snapshot, kind: Definition): Promise<(readonly Stored[])[]> =>
  Array.fromAsync(snapshot.pages(kind));

const allIn = async (snapshot: Snapshot, kind: Definition): Promise<Stored[]> =>
  (await pagesIn(snapshot, kind)).flat();

export const snapshotCases: Cases = {
  "a snapshot has every record with its revision, in the order of ids": async ({ engine }) => {
    const space = newSpace();
    const records = engine.records(space, NUMBERED);
    await records.insertMany(
      upTo(2 * SNAPSHOT_RECORDS + 7).reverse().map((n) => ({ _id: id(n), n })),
    );
    await records.updateOne(eq("n", 5), { set: { at: "2026-01-02T03:04:05.678Z" } });
    const all = await engine.snapshot(space, (snapshot) => allIn(snapshot, NUMBERED));
    assert.deepEqual(all.map(({ value }) => value._id), upTo(2 * SNAPSHOT_RECORDS + 7).map(id));
    const { json, revision } = all[5]!;
    assert.deepEqual(
      { json, revision },
      { json: `{"_id":"${id(5)}","n":5,"at":"2026-01-02T03:04:05.678Z"}`, revision: 2 },
    );
    assert.equal(all[6]!.revision, 1);
  },

  "a page of a snapshot is limited in bytes, and has at least one record": async (
    { engine },
  ) => {
    const space = newSpace();
    const records = engine.records(space, NUMBERED);
    const text = "x".repeat(SNAPSHOT_BYTES / 4);
    for (const n of upTo(6)) await records.insert({ _id: id(n), n, text });
    await records.insert({ _id: id(7), n: 7, text: "y".repeat(SNAPSHOT_BYTES + 1) });
    const pages = await engine.snapshot(space, (snapshot) => pagesIn(snapshot, NUMBERED));
    assert.deepEqual(pages.map((page) => page.length), [3, 3, 1]);
  },

  "a snapshot does not see writes after its first read": async ({ engine }) => {
    const space = newSpace();
    const records = engine.records(space, NUMBERED);
    await records.insertMany(upTo(SNAPSHOT_RECORDS + 1).map((n) => ({ _id: id(n), n })));
    await engine.snapshot(space, async (snapshot) => {
      const pages = snapshot.pages<StoredRecord & { n: number }>(NUMBERED);
      await pages.next();
      await records.insert({ _id: id(9_999), n: 9_999 });
      await records.updateOne(eq("n", SNAPSHOT_RECORDS), { set: { n: -1 } });
      await records.deleteOne(eq("n", 1));
      const [rest] = await Array.fromAsync(pages);
      const isOld = rest?.length === 1 && rest[0]!.value.n === SNAPSHOT_RECORDS;
      // If it sees later writes, it reports that.
      assert.equal(isOld, snapshot.isOfOneMoment);
    });
  },

  "other reads during and after a snapshot see current records": async ({ engine }) => {
    const space = newSpace();
    const records = engine.records(space, NUMBERED);
    await records.insert({ _id: id(1), n: 1 });
    await engine.snapshot(space, async (snapshot) => {
      await allIn(snapshot, NUMBERED);
      await allIn(snapshot, NUMBERED);
      await records.insert({ _id: id(2), n: 2 });
      assert.equal((await records.findOne(eq("n", 2)))?.value._id, id(2));
    });
    await records.insert({ _id: id(3), n: 3 });
    assert.equal((await records.findOne(eq("n", 3)))?.value._id, id(3));
    assert.equal(await records.count(ALL), 3);
  },

  "a snapshot without stored records is empty": async ({ engine }) => {
    const space = newSpace();
    await engine.records(space, NUMBERED).insert({ _id: id(1), n: 1 });
    const other = definition({ name: "others" });
    assert.deepEqual(await engine.snapshot(space, (snapshot) => allIn(snapshot, other)), []);
  },

  "restored records keep their revisions and continue from them": async (
    { engine },
  ) => {
    const space = newSpace();
    const records = engine.records(space, NUMBERED);
    await records.restore([
      { value: { _id: id(1), n: 1 }, revision: 7 },
      { value: { _id: id(2), n: 2 }, revision: 1 },
    ]);
    assert.equal((await records.get(id(1)))!.revision, 7);
    assert.equal((await records.updateOne(eq("n", 1), { set: { n: 3 } }))!.revision, 8);
    assert.equal((await records.get(id(2)))!.revision, 1);
  },

  "a restore is applied completely or not at all": async ({ engine }) => {
    const records = engine.records(newSpace(), NUMBERED);
    await records.insert({ _id: id(1), n: 1 });
    const taken = records.restore([
      { value: { _id: id(2), n: 2 }, revision: 2 },
      { value: { _id: id(1), n: 3 }, revision: 2 },
    ]);
    await assert.rejects(
      taken,
      (error) => error instanceof UniqueViolation && error.path === "_id",
    );
    const twice = records.restore([
      { value: { _id: id(3), n: 4 }, revision: 2 },
      { value: { _id: id(4), n: 4 }, revision: 2 },
    ]);
    await assert.rejects(twice, (error) => error instanceof UniqueViolation && error.path === "n");
    assert.equal(await records.count(ALL), 1);
  },
};

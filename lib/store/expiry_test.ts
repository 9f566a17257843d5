import assert from "node:assert/strict";
import { fakeClock, openTestServices } from "@/tests/support/test_services.ts";
import { deleteInShortBatches, purgeExpired } from "./expiry.ts";
import { ALL } from "./filter.ts";
import type { Definition, Filter, Records, StoredRecord } from "./port.ts";

const PROJECT = "66f1a0c2e4b0a1b2c3d4e5f6";

const CODES: Definition = {
  name: "_codes",
  fields: { expiresAt: { type: "Date" } },
  indexes: [],
  trash: false,
  expiry: "expiresAt",
};

const id = (n: number) => n.toString(16).padStart(24, "0");

const expiring = (count: number, expiresAt: string | null): StoredRecord[] =>
  Array.from({ length: count }, (_, n) => ({ _id: id(n + 1), expiresAt }));

async function left(records: Records): Promise<string[]> {
  const page = await records.list({ filter: ALL, sort: [], limit: 10 });
  return (JSON.parse(`[${page.items}]`) as StoredRecord[]).map(({ _id }) => _id);
}

Deno.test("purgeExpired deletes exactly the expired records", async () => {
  await using opened = await openTestServices();
  const records = opened.services.engine.records(PROJECT, CODES);
  await records.insertMany([
    { _id: id(1), expiresAt: "2026-01-31T11:59:59.999Z" },
    { _id: id(2), expiresAt: "2026-01-31T12:00:00.000Z" },
    { _id: id(3), expiresAt: "2026-01-31T12:00:00.001Z" },
    { _id: id(4), expiresAt: null },
    { _id: id(5) },
    { _id: id(6), expiresAt: "1999-01-01T00:00:00.000Z" },
  ]);
  assert.equal(await purgeExpired(records, CODES, opened.clock), 2);
  assert.deepEqual(await left(records), [id(2), id(3), id(4), id(5)]);
});

Deno.test("purgeExpired deletes all expired records in batches of at most 500", async () => {
  await using opened = await openTestServices();
  const records = opened.services.engine.records(PROJECT, CODES);
  await records.insertMany(expiring(1000, "2026-01-01T00:00:00.000Z"));
  const limits: number[] = [];
  const watched = new Proxy(records, {
    get: (to, name) =>
      name !== "deleteMany" ? Reflect.get(to, name, to).bind(to) : (filter: Filter, n: number) => {
        limits.push(n);
        return to.deleteMany(filter, n);
      },
  });
  assert.equal(await purgeExpired(watched, CODES, opened.clock), 1000);
  assert.deepEqual(limits, [500, 500, 500]);
  assert.deepEqual(await left(records), []);
});

Deno.test("purgeExpired does not access kinds without an expiry field", async () => {
  const { expiry: _expiry, ...lasting } = CODES;
  const untouchable = new Proxy({} as Records, {
    get: () => () => assert.fail("records were touched"),
  });
  assert.equal(await purgeExpired(untouchable, lasting, fakeClock()), 0);
});

/** Creates records of which `left` remain to be deleted, and notes the limit of each call. */
function countdown(left: number) {
  const limits: number[] = [];
  const records = {
    deleteMany(_filter: Filter, limit: number) {
      limits.push(limit);
      const batch = Math.min(left, limit);
      left -= batch;
      return Promise.resolve(batch);
    },
  } as unknown as Records; // No other method is called.
  return { records, limits, left: () => left };
}

Deno.test("deleteInShortBatches starts with one record, grows to a bound and deletes everything", async () => {
  const { records, limits, left } = countdown(5_000);
  assert.equal(await deleteInShortBatches(records, ALL, () => false), 5_000);
  assert.equal(left(), 0);
  assert.equal(limits[0], 1);
  assert.ok(Math.max(...limits) <= 256);
});

Deno.test("deleteInShortBatches ends between two batches when it is stopped", async () => {
  const { records, limits } = countdown(5_000);
  const removed = await deleteInShortBatches(records, ALL, () => limits.length === 3);
  assert.equal(limits.length, 3);
  assert.equal(removed, limits.reduce((sum, limit) => sum + limit, 0));
});

import assert from "node:assert/strict";
import { SpaceFull } from "@/lib/store/errors.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { ByteQuota, Engine, Id, Space } from "@/lib/store/port.ts";
import { definition, id, newSpace, trashDefinition, upTo } from "./fixtures.ts";
import { SecondProcess } from "./second_process.ts";
import type { Cases } from "./suite.ts";

const POSTS = trashDefinition({ name: "posts" });
const TEXT = "x".repeat(1000);

const post = (n: number, text = TEXT) => ({ _id: id(n), isDeleted: false, text });

/** Opens a space with one record, and returns its size in bytes. */
async function open(engine: Engine) {
  const space = newSpace();
  await engine.records(space, POSTS).insert(post(1));
  const size = await engine.bytes(space);
  const within = (bytesMax: number) =>
    engine.records(space, POSTS, { quota: { bytesMax, alsoCounted: [] } });
  return { space, size, within, all: engine.records(space, POSTS) };
}

/** Returns how many of the writes succeeded. The others must have been refused for the quota. */
async function countStored(writes: readonly Promise<unknown>[]): Promise<number> {
  const ended = await Promise.allSettled(writes);
  const refused = ended.filter((one) => one.status === "rejected");
  for (const { reason } of refused) assert.ok(reason instanceof SpaceFull, String(reason));
  return ended.length - refused.length;
}

/** Returns how many inserts succeed in two processes, each of which inserts sequentially. */
async function insertInBoth(
  engine: Engine,
  address: string,
  space: Space,
  quota: ByteQuota,
): Promise<number> {
  await using other = await SecondProcess.start(address);
  const theirs = other.run({
    space: space as Id,
    definition: POSTS,
    writing: { quota },
    calls: upTo(100).map((n) => ({ insert: post(1000 + n) })),
    how: "one by one",
  });
  const records = engine.records(space, POSTS, { quota });
  let ours = 0;
  for (const n of upTo(100)) ours += await countStored([records.insert(post(2000 + n))]);
  const outcomes = await theirs;
  const refused = outcomes.filter((one) =>
    typeof one === "object" && one !== null && "refused" in one
  );
  assert.ok(refused.every((one) => (one as { refused: string }).refused === "SpaceFull"));
  return ours + outcomes.length - refused.length;
}

export const quotaCases: Cases = {
  "a write that would exceed the quota is refused and changes nothing": async (
    { engine },
  ) => {
    const { space, size, within, all } = await open(engine);
    const full = within(size);
    await assert.rejects(full.insert(post(2, "")), SpaceFull);
    await assert.rejects(full.insertMany([post(2, ""), post(3, "")]), SpaceFull);
    await assert.rejects(full.updateOne(eq("_id", id(1)), { set: { more: 1 } }), SpaceFull);
    await assert.rejects(
      full.updateOne(eq("_id", id(1)), { replace: { isDeleted: false, text: `${TEXT}x` } }),
      SpaceFull,
    );
    await assert.rejects(within(2 * size + size / 2).insertMany([post(2), post(3)]), SpaceFull);
    assert.equal(await all.count(ALL), 1);
    assert.equal(await engine.bytes(space), size);
    assert.equal((await all.get(id(1)))!.revision, 1);
  },

  "a record that fills the quota to the byte is stored": async ({ engine }) => {
    const { space, size, within } = await open(engine);
    await within(2 * size).insert(post(2));
    const longer = { set: { text: `${TEXT}xx` } };
    await assert.rejects(within(2 * size + 1).updateOne(eq("_id", id(2)), longer), SpaceFull);
    await within(2 * size + 2).updateOne(eq("_id", id(2)), longer);
    assert.equal(await engine.bytes(space), 2 * size + 2);
    await within(4 * size + 2).insertMany([post(3), post(4)]);
    assert.equal(await engine.bytes(space), 4 * size + 2);
  },

  "a write that makes a space smaller is accepted, however small its quota": async ({ engine }) => {
    const { space, size, within, all } = await open(engine);
    const none = within(0);
    assert.ok(await none.updateOne(eq("_id", id(1)), { set: { text: TEXT.replace("x", "y") } }));
    assert.ok(await none.updateOne(eq("_id", id(1)), { set: { text: TEXT.slice(10) } }));
    assert.equal(await engine.bytes(space), size - 10);
    assert.equal(await none.updateOne(eq("_id", id(9)), { set: { text: TEXT } }), null);
    assert.ok(await none.deleteOne(eq("_id", id(1))));
    assert.equal(await all.count(ALL), 0);
    await within(size).insert(post(2));
    assert.equal(await none.deleteMany(ALL, 10), 1);
    await within(size).insert(post(3));
  },

  "of concurrent inserts, those that fit the quota are stored": async ({ engine }) => {
    const { space, size, within } = await open(engine);
    const quota = within(11 * size + size / 2);
    assert.equal(await countStored(upTo(50).map((n) => quota.insert(post(n + 2)))), 10);
    assert.equal(await engine.bytes(space), 11 * size);
  },

  "of concurrent changes, those that fit the quota are made": async ({ engine }) => {
    const { space, size, within, all } = await open(engine);
    await all.insertMany(upTo(19).map((n) => post(n + 2)));
    const quota = within(20 * size + 5 * TEXT.length + 10);
    const double = { set: { text: TEXT + TEXT } };
    const changes = upTo(20).map((n) => quota.updateOne(eq("_id", id(n + 1)), double));
    assert.equal(await countStored(changes), 5);
    assert.equal(await engine.bytes(space), 20 * size + 5 * TEXT.length);
  },

  "the writes of a transaction count within it, and not after it was undone": async (
    { engine },
  ) => {
    const { space, size } = await open(engine);
    const quota = { bytesMax: 2 * size, alsoCounted: [] };
    const twice = engine.transaction(space, async (tx) => {
      await tx.records(POSTS, { quota }).insert(post(2));
      await tx.records(POSTS, { quota }).insert(post(3));
    });
    await assert.rejects(twice, SpaceFull);
    assert.equal(await engine.bytes(space), size);
    await engine.transaction(space, async (tx) => {
      await tx.records(POSTS, { quota }).insertMany([post(2)]);
    });
    assert.equal(await engine.bytes(space), 2 * size);
  },

  "records that are also counted use the quota": async ({ engine }) => {
    const { space, size } = await open(engine);
    const kept = definition({ name: "_kept", counted: true });
    const notCounted = definition({ name: "_own" });
    await engine.records(space, notCounted).insert({ _id: id(1), text: TEXT });
    const quota = { bytesMax: 3 * size, alsoCounted: [kept] };
    await engine.records(space, kept, { quota }).insert({ _id: id(1), text: TEXT });
    await engine.records(space, POSTS, { quota }).insert(post(2));
    await assert.rejects(engine.records(space, kept, { quota }).insert({ _id: id(2), text: TEXT }));
    await assert.rejects(engine.records(space, POSTS, { quota }).insert(post(3)), SpaceFull);
  },

  "two concurrent processes fill the quota, and exceed it by one's writes in flight": async (
    { engine, address },
  ) => {
    const { space, size } = await open(engine);
    const quota = { bytesMax: 51 * size + size / 2, alsoCounted: [] };
    const stored = await insertInBoth(engine, address, space, quota);
    assert.ok(stored === 50 || stored === 51, `${stored} are stored`);
    assert.equal(await engine.bytes(space), (stored + 1) * size);
  },

  "another process can use freed space immediately": async ({ engine, address }) => {
    const { space, size, within } = await open(engine);
    await using other = await SecondProcess.start(address);
    const quota = { bytesMax: 2 * size, alsoCounted: [] };
    const ask = (calls: Parameters<typeof other.run>[0]["calls"]) =>
      other.run({ space, definition: POSTS, writing: { quota }, calls, how: "one by one" });
    await within(2 * size).insert(post(2));
    assert.deepEqual(await ask([{ insert: post(3) }]), [{ refused: "SpaceFull" }]);
    await within(2 * size).deleteOne(eq("_id", id(1)));
    const [stored] = await ask([{ insert: post(3) }]);
    assert.ok(typeof stored === "object" && stored !== null && "json" in stored);
    await assert.rejects(within(2 * size).insert(post(4)), SpaceFull);
  },
};

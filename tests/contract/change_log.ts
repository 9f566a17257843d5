import assert from "node:assert/strict";
import { PositionLost, SpaceFull, UniqueViolation } from "@/lib/store/errors.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type {
  Authorship,
  ChangeBatch,
  ChangePosition,
  Engine,
  Id,
  PositionedChange,
  Space,
  WriteOptions,
} from "@/lib/store/port.ts";
import { id, keys, newSpace, trashDefinition, upTo } from "./fixtures.ts";
import { SecondProcess } from "./second_process.ts";
import type { Cases } from "./suite.ts";

const POSTS = trashDefinition({
  name: "stored_posts",
  fields: { slug: { type: "String" } },
  indexes: [{ keys: keys("slug"), unique: true }],
  recordedAs: "posts",
});

const BY: Authorship = {
  actor: { kind: "user", id: id(99) },
  at: "2026-01-02T03:04:05.678Z",
};
const WRITING: WriteOptions = { by: BY };

/** Milliseconds in which a feed may deliver empty batches while other transactions run. */
const LOOK_MS = 300;

const post = (n: number, more = {}) => ({ _id: id(n), n, isDeleted: false, ...more });

const postsIn = (engine: Engine, space: Space, writing = WRITING) =>
  engine.records(space, POSTS, writing);

/** Returns the changes that are currently committed after a position. */
export async function changesAfter(
  engine: Engine,
  space: Space,
  after: ChangePosition,
): Promise<PositionedChange[]> {
  await using feed = engine.changes.follow(space, after);
  const changes: PositionedChange[] = [];
  for await (const batch of feed) {
    if (batch.changes.length === 0) break;
    changes.push(...batch.changes);
  }
  return changes;
}

async function firstBatch(
  engine: Engine,
  space: Space,
  after: ChangePosition,
): Promise<ChangeBatch> {
  await using feed = engine.changes.follow(space, after);
  for await (const batch of feed) return batch;
  assert.fail();
}

/** Reads from a feed until it has delivered this many changes. */
async function takeChanges(
  feed: AsyncIterator<ChangeBatch>,
  count: number,
): Promise<PositionedChange[]> {
  const changes: PositionedChange[] = [];
  while (changes.length < count) changes.push(...(await feed.next()).value.changes);
  return changes;
}

/** Formats a change, for example `created 1: -> 5`. */
const summary = ({ action, recordId, before, after }: PositionedChange): string =>
  `${action} ${parseInt(recordId, 16)}: ${valueIn(before)} -> ${valueIn(after)}`;

const valueIn = (json: string | null): string => json === null ? "-" : `${JSON.parse(json).n}`;

export const changeLogCases: Cases = {
  "every kind of write is recorded with the record before and after it": async (
    { engine },
  ) => {
    const space = newSpace();
    const start = await engine.changes.head(space);
    const posts = postsIn(engine, space);
    await posts.insert(post(1));
    await posts.insertMany([post(2), post(3)]);
    await posts.updateOne(eq("_id", id(1)), { set: { n: 10 } });
    await posts.updateOne(eq("_id", id(1)), { set: { isDeleted: true } });
    await posts.updateOne(eq("_id", id(1)), { set: { isDeleted: false } });
    await posts.upsert(eq("_id", id(4)), { set: { n: 40 } }, post(4));
    await posts.upsert(eq("_id", id(4)), { set: { n: 40 } }, post(4));
    await posts.deleteOne(eq("_id", id(2)));
    assert.equal(await posts.deleteMany(eq("n", 3), 10), 1);
    await engine.transaction(space, async (tx) => {
      const within = tx.records(POSTS, WRITING);
      await within.insert(post(5));
      await within.updateOne(eq("_id", id(5)), { increment: { n: 45 } });
      await within.deleteOne(eq("_id", id(5)));
    });
    const changes = await changesAfter(engine, space, start);
    assert.deepEqual(changes.map(summary), [
      "created 1: - -> 1",
      "created 2: - -> 2",
      "created 3: - -> 3",
      "changed 1: 1 -> 10",
      "deleted 1: 10 -> 10",
      "recovered 1: 10 -> 10",
      "created 4: - -> 4",
      "changed 4: 4 -> 40",
      "removed 2: 2 -> -",
      "removed 3: 3 -> -",
      "created 5: - -> 5",
      "changed 5: 5 -> 50",
      "removed 5: 50 -> -",
    ]);
    const { name, actor, at, after } = changes[0]!;
    assert.deepEqual({ name, actor, at }, { name: "posts", ...BY });
    assert.equal(after, JSON.stringify(post(1)));
    const positions = changes.map(({ position }) => position);
    assert.deepEqual(positions, [...new Set(positions)].sort());
  },

  "refused and undone writes are not recorded": async ({ engine }) => {
    const space = newSpace();
    const posts = postsIn(engine, space);
    await posts.insert(post(1, { slug: "a" }));
    const start = await engine.changes.head(space);
    await assert.rejects(posts.insert(post(2, { slug: "a" })), UniqueViolation);
    await assert.rejects(posts.insertMany([post(3), post(4, { slug: "a" })]), UniqueViolation);
    const full = { by: BY, quota: { bytesMax: 10, alsoCounted: [] } };
    await assert.rejects(postsIn(engine, space, full).insert(post(5)), SpaceFull);
    assert.equal(await posts.updateOne(eq("_id", id(6)), { set: { n: 1 } }), null);
    assert.equal(await posts.deleteOne(eq("_id", id(6))), null);
    await assert.rejects(engine.transaction(space, async (tx) => {
      await tx.records(POSTS, WRITING).insert(post(7));
      throw new Error("undone");
    }));
    assert.deepEqual(await changesAfter(engine, space, start), []);
  },

  "writes of an unrecorded kind are not recorded, and need no author": async (
    { engine },
  ) => {
    const space = newSpace();
    const { recordedAs: _, ...quiet } = POSTS;
    const start = await engine.changes.head(space);
    await engine.records(space, quiet).insert(post(1));
    assert.deepEqual(await changesAfter(engine, space, start), []);
  },

  "a recorded kind cannot be written without an author": async ({ engine }) => {
    const space = newSpace();
    await assert.rejects(postsIn(engine, space, {}).insert(post(1)), /has no author/);
    assert.equal(await postsIn(engine, space).count(ALL), 0);
  },

  "a feed delivers later commits of this process and of others": async (
    { engine, address },
  ) => {
    await using other = await SecondProcess.start(address);
    const space = newSpace();
    await postsIn(engine, space).insert(post(1));
    await using feed = engine.changes.follow(space, await engine.changes.head(space));
    const batches = feed[Symbol.asyncIterator]();
    assert.deepEqual((await batches.next()).value.changes, []);
    await postsIn(engine, space).insert(post(2));
    assert.deepEqual((await takeChanges(batches, 1)).map(summary), ["created 2: - -> 2"]);
    await other.run({
      space,
      definition: POSTS,
      writing: WRITING,
      calls: [{ insert: post(3) }, { update: eq("_id", id(3)), change: { set: { n: 4 } } }],
      how: "one by one",
    });
    assert.deepEqual((await takeChanges(batches, 2)).map(summary), [
      "created 3: - -> 3",
      "changed 3: 3 -> 4",
    ]);
  },

  "a feed continues after a given position, with changes of its own space only": async (
    { engine },
  ) => {
    const [space, another] = [newSpace(), newSpace()];
    const start = await engine.changes.head(space);
    await postsIn(engine, space).insertMany(upTo(6).map((n) => post(n + 1)));
    await postsIn(engine, another).insert(post(50));
    const all = await changesAfter(engine, space, start);
    assert.equal(all.length, 6);
    for (const [i, { position }] of all.entries()) {
      assert.deepEqual(await changesAfter(engine, space, position), all.slice(i + 1));
    }
    const nothing = await firstBatch(engine, space, all[5]!.position);
    assert.deepEqual(nothing.changes, []);
    await postsIn(engine, space).insert(post(7));
    assert.deepEqual((await changesAfter(engine, space, nothing.upTo)).map(summary), [
      "created 7: - -> 7",
    ]);
  },

  "committed changes are delivered during a long transaction of another space": async (
    { engine },
  ) => {
    const [space, another] = [newSpace(), newSpace()];
    await postsIn(engine, another).insert(post(1));
    const start = await engine.changes.head(space);
    const written = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const longTransaction = engine.transaction(another, async (tx) => {
      await tx.records(POSTS, WRITING).updateOne(eq("_id", id(1)), { set: { n: 2 } });
      written.resolve();
      await goOn.promise;
    });
    await written.promise;
    await postsIn(engine, space).insert(post(3));
    const delivered = changesAfter(engine, space, start);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    goOn.resolve();
    await longTransaction;
    assert.deepEqual((await delivered).map(summary), ["created 3: - -> 3"]);
  },

  "changes of a record are delivered in the order of their commits without gaps": async (
    { engine, address },
  ) => {
    await using other = await SecondProcess.start(address);
    const space = newSpace();
    await postsIn(engine, space).insertMany(upTo(3).map((n) => post(n, { n: 0 })));
    await using feed = engine.changes.follow(space, await engine.changes.head(space));
    const increments = upTo(60).map((i) => ({
      update: eq("_id", id(i % 3)),
      change: { increment: { n: 1 } },
    }));
    const theirs = other.run({
      space,
      definition: POSTS,
      writing: WRITING,
      calls: increments,
      how: "together",
    });
    const ours = Promise.all(
      increments.map(({ update, change }) => postsIn(engine, space).updateOne(update, change)),
    );
    const changes = await takeChanges(feed[Symbol.asyncIterator](), 120);
    await Promise.all([theirs, ours]);
    const seen = new Map<Id, number>();
    for (const { recordId, before, after } of changes) {
      const was = seen.get(recordId) ?? 0;
      assert.deepEqual([valueIn(before), valueIn(after)], [`${was}`, `${was + 1}`]);
      seen.set(recordId, was + 1);
    }
    assert.deepEqual([...seen.values()], [40, 40, 40]);
  },

  "changes older than a day may be removed, which a late feed reports; younger ones stay": async (
    { engine },
  ) => {
    const space = newSpace();
    const start = await engine.changes.head(space);
    await postsIn(engine, space).insertMany(upTo(5).map((n) => post(n)));
    const dayAfter = Date.parse(BY.at) + 24 * 3_600_000;
    const trim = (ms: number) => engine.changes.trim(space, new Date(ms).toISOString());
    assert.equal(await trim(dayAfter), 0);
    const all = await changesAfter(engine, space, start);
    assert.equal(all.length, 5);
    const removed = await trim(dayAfter + 1);
    // MongoDB removes them itself, and change streams still deliver them.
    assert.equal(removed, engine.name === "sqlite" ? 4 : 0);
    if (removed === 0) assert.deepEqual(await changesAfter(engine, space, start), all);
    else await assert.rejects(changesAfter(engine, space, start), PositionLost);
    assert.deepEqual(await changesAfter(engine, space, all[3]!.position), all.slice(4));
    await postsIn(engine, space).insert(post(6));
    assert.deepEqual((await changesAfter(engine, space, all[4]!.position)).map(summary), [
      "created 6: - -> 6",
    ]);
  },

  "a disposed feed ends, even while it waits": async ({ engine }) => {
    const space = newSpace();
    const feed = engine.changes.follow(space, await engine.changes.head(space));
    const batches = feed[Symbol.asyncIterator]();
    await batches.next();
    const waiting = batches.next();
    await feed[Symbol.asyncDispose]();
    assert.equal((await waiting).done ?? false, true);
  },

  "the texts of a change are returned as they were stored": async ({ engine }) => {
    const space = newSpace();
    const start = await engine.changes.head(space);
    const odd = {
      ...post(1),
      "odd \\ name": '"\u{1F600}\u2028',
      zero: -0,
      deep: [[{ a: [null] }]],
    };
    const { json } = await postsIn(engine, space).insert(odd);
    const [change] = await changesAfter(engine, space, start);
    assert.equal(change!.after, json);
  },
};

import assert from "node:assert/strict";
import { MongoClient } from "mongodb";
import { CHANGES, trimChanges } from "@/lib/store/mongo/changes.ts";
import type { PositionedChange } from "@/lib/store/port.ts";
import { dropDatabases, mongodbUrl } from "../support/mongodb.ts";
import { id, newSpace, trashDefinition, upTo } from "./fixtures.ts";
import { openStore } from "./open_store.ts";

const POSTS = trashDefinition({ name: "posts", recordedAs: "posts" });
const DAY_MS = 24 * 3_600_000;
const AT = "2026-01-02T03:04:05.678Z";
const BY = { by: { actor: { kind: "key", id: null }, at: AT } } as const;

async function openChanges() {
  const prefix = `test${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  const engine = await openStore(mongodbUrl(prefix));
  const client = await new MongoClient(mongodbUrl(prefix)).connect();
  const space = newSpace();
  const db = client.db(`${prefix}_${space}`);
  return {
    engine,
    space,
    db,
    notes: db.collection(CHANGES.name),
    posts: engine.records(space, POSTS, BY),
    async [Symbol.asyncDispose]() {
      await client.close();
      await engine[Symbol.asyncDispose]();
      await dropDatabases(prefix);
    },
  };
}

Deno.test("mongodb: a change carries when it expires, a day behind it, and an index has the server remove it", async () => {
  await using changes = await openChanges();
  await changes.posts.insert({ _id: id(1), isDeleted: false });
  const [note] = await changes.notes.find().toArray();
  assert.deepEqual(note!.expiresAt, new Date(Date.parse(AT) + DAY_MS));
  const indexes = await changes.notes.indexes();
  const expiry = indexes.find(({ key }) => Object.hasOwn(key, "expiresAt"));
  assert.equal(expiry?.expireAfterSeconds, 0);
});

Deno.test("mongodb: of changes the oldest go beyond a number, and whoever follows them loses none", async () => {
  await using changes = await openChanges();
  const { engine, space, db, notes, posts } = changes;
  const start = await engine.changes.head(space);
  for (const n of upTo(30)) await posts.insert({ _id: id(n), n, isDeleted: false });
  const kept = { max: 10, bytesMax: 1e9 };
  assert.equal(await trimChanges(db, kept), 20);
  assert.equal(await trimChanges(db, kept), 0);
  const left = await notes.find().sort({ _id: 1 }).toArray();
  assert.deepEqual(left.map(({ recordId }) => recordId), upTo(30).slice(20).map(id));
  await using feed = engine.changes.follow(space, start);
  const told: PositionedChange[] = [];
  for await (const batch of feed) {
    if (batch.changes.length === 0) break;
    told.push(...batch.changes);
  }
  assert.deepEqual(told.map(({ recordId }) => recordId), upTo(30).map(id));
});

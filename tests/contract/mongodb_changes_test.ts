import assert from "node:assert/strict";
import { MongoClient, ObjectId } from "mongodb";
import { CHANGES, trimChanges } from "@/lib/store/mongo/changes.ts";
import { UniqueViolation } from "@/lib/store/errors.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import type { Json, PositionedChange } from "@/lib/store/port.ts";
import { dropDatabases, mongodbUrl } from "../support/mongodb.ts";
import { changesAfter } from "./change_log.ts";
import { id, newSpace, trashDefinition, upTo } from "./fixtures.ts";
import { openStore } from "./open_store.ts";

const POSTS = trashDefinition({
  name: "posts",
  fields: { on: { type: "Date" } },
  recordedAs: "recorded posts",
});
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

Deno.test("mongodb: a change has an expiry of one day, and an index makes the server remove it", async () => {
  await using changes = await openChanges();
  await changes.posts.insert({ _id: id(1), isDeleted: false });
  await changes.posts.deleteOne(ALL);
  const [note] = await changes.notes.find().toArray();
  assert.deepEqual(note!.expiresAt, new Date(Date.parse(AT) + DAY_MS));
  const indexes = await changes.notes.indexes();
  const expiry = indexes.find(({ key }) => Object.hasOwn(key, "expiresAt"));
  assert.equal(expiry?.expireAfterSeconds, 0);
});

/** Values that a change stream could convert. */
const TRICKY: Readonly<Record<string, Json>> = {
  "10": "a name that comes first",
  on: "2026-01-02T03:04:05.678Z",
  within: { _bsontype: "ObjectId", id: id(7), on: "2026-01-02" },
  _bsontype: "Long",
  numbers: [-0, 0, 1, 1.5, -(2 ** 31), 2 ** 31, 2 ** 53, 1e300, 5e-324],
  texts: ["", "\u0000", '\n\u2028"', "😀", "7".repeat(20_000)],
  nothing: null,
};

Deno.test("mongodb: an insert is recorded by the record itself, with its stored text", async () => {
  await using changes = await openChanges();
  const { engine, space, db, notes, posts } = changes;
  const start = await engine.changes.head(space);
  const stored = await posts.insert({ ...TRICKY, _id: id(1), isDeleted: false });
  await posts.insertMany([2, 3].map((n) => ({ _id: id(n), isDeleted: false })));
  const others = [undefined, "x", ["posts"], ["posts", "key", null, AT, id(9)]];
  for (const by of others) await db.collection("posts").insertOne({ isDeleted: false, " by": by });
  assert.equal(await notes.countDocuments(), 0);
  const delivered = await changesAfter(engine, space, start);
  assert.deepEqual(delivered.map(({ recordId }) => recordId), [1, 2, 3].map(id));
  const [{ position: _, ...first }] = delivered as [PositionedChange];
  assert.deepEqual(first, {
    name: "recorded posts",
    recordId: id(1),
    action: "created",
    ...BY.by,
    before: null,
    after: stored.json,
  });
  const found = await posts.get(id(1));
  assert.equal(found!.json, stored.json, "the text does not include the author");
});

Deno.test("mongodb: a record that is restored a day after its creation is not reported again", async () => {
  await using changes = await openChanges();
  const { engine, space, db, posts } = changes;
  await posts.insert({ _id: id(1), isDeleted: false });
  const things = db.collection("posts");
  const stored = (await things.findOneAndDelete({}))!;
  const start = await engine.changes.head(space);
  const madeBefore = (ms: number) => {
    const creationId = ObjectId.createFromTime(Math.floor((Date.now() - ms) / 1000));
    return { ...stored, _id: new ObjectId(), " by": [...stored[" by"].slice(0, -1), creationId] };
  };
  const [old, young] = [madeBefore(DAY_MS + 60_000), madeBefore(DAY_MS - 60_000)];
  await using feed = engine.changes.follow(space, start);
  const batches = feed[Symbol.asyncIterator]();
  assert.deepEqual((await batches.next()).value.changes, []);
  await things.insertMany([old, young]);
  const delivered = (await batches.next()).value.changes as PositionedChange[];
  assert.deepEqual(delivered.map(({ recordId }) => recordId), [String(young._id)]);
  assert.deepEqual(await changesAfter(engine, space, start), delivered);
});

Deno.test("mongodb: a record keeps its author through all changes", async () => {
  await using changes = await openChanges();
  const { engine, space, db, posts } = changes;
  await posts.insert({ _id: id(1), isDeleted: false, on: AT });
  const storedAuthor = async () => (await db.collection("posts").findOne())![" by"];
  const author = await storedAuthor();
  assert.deepEqual(author.slice(0, -1), ["recorded posts", "key", null, new Date(AT)]);
  const other = {
    by: { actor: { kind: "user", id: id(9) }, at: "2027-01-01T00:00:00.000Z" },
  } as const;
  const others = engine.records(space, POSTS, other);
  await others.updateOne(ALL, { set: { n: 1 } });
  assert.deepEqual(await storedAuthor(), author);
  await others.updateOne(ALL, { replace: { n: 2, on: AT }, keep: ["isDeleted"] });
  assert.deepEqual(await storedAuthor(), author);
  await engine.transaction(space, (tx) => tx.define({ ...POSTS, fields: {} }, POSTS));
  const { [" by"]: by, on } = (await db.collection("posts").findOne())!;
  assert.deepEqual([by, on], [author, AT]);
});

Deno.test("mongodb: refused inserts and unrecorded kinds are not reported", async () => {
  await using changes = await openChanges();
  const { engine, space, posts } = changes;
  const start = await engine.changes.head(space);
  await posts.insert({ _id: id(1), isDeleted: false });
  await assert.rejects(posts.insert({ _id: id(1), isDeleted: false }), UniqueViolation);
  const two = [2, 1].map((n) => ({ _id: id(n), isDeleted: false }));
  await assert.rejects(posts.insertMany(two), UniqueViolation);
  await assert.rejects(
    engine.records(space, POSTS).insert({ _id: id(4), isDeleted: false }),
    /has no author/,
  );
  const { recordedAs: _, ...unrecorded } = POSTS;
  await engine.records(space, unrecorded).insert({ _id: id(5), isDeleted: false });
  const delivered = await changesAfter(engine, space, start);
  assert.deepEqual(delivered.map(({ recordId }) => recordId), [id(1)]);
});

Deno.test("mongodb: the oldest changes are removed beyond a number, and no feed misses one", async () => {
  await using changes = await openChanges();
  const { engine, space, db, notes, posts } = changes;
  for (const n of upTo(30)) await posts.insert({ _id: id(n), isDeleted: false });
  const start = await engine.changes.head(space);
  for (const n of upTo(30)) await posts.updateOne(eq("_id", id(n)), { set: { n } });
  const kept = { max: 10, bytesMax: 1e9 };
  assert.equal(await trimChanges(db, kept), 20);
  assert.equal(await trimChanges(db, kept), 0);
  const left = await notes.find().sort({ _id: 1 }).toArray();
  assert.deepEqual(left.map(({ recordId }) => recordId), upTo(30).slice(20).map(id));
  const delivered = await changesAfter(engine, space, start);
  assert.deepEqual(delivered.map(({ recordId }) => recordId), upTo(30).map(id));
});

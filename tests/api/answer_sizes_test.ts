import assert from "node:assert/strict";
import { ANSWER_BYTES_MAX } from "@/lib/limits.ts";
import { bytesOf } from "@/lib/store/json_text.ts";
import type { Answer } from "../support/conforming_client.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import {
  createTestCollection,
  type Doc,
  ok,
  refused,
  type TestCollection,
  testCollectionOf,
  times,
} from "./test_collection.ts";

const REMEDY = "fewer rows or fields";
const TEXT_CHARACTERS = 1_000_000;

/** Stores seventeen documents, of which sixteen fit into a response. */
async function openLarge(app: TestApp): Promise<{ collection: TestCollection; last: Doc }> {
  const collection = await createTestCollection(app, {
    fields: [{ key: "n", type: "Number", index: true }, { key: "title", type: "String" }],
  });
  for (const numbers of [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], [12, 13, 14, 15]]) {
    const documents = numbers.map((n) => ({ n, title: `${n}`, text: "x".repeat(TEXT_CHARACTERS) }));
    ok(await collection.asSecret({ path: "/bulk", body: { documents } }), 201);
  }
  return { collection, last: await collection.insertOne({ n: 16, title: "16", text: "x" }) };
}

/** Returns the bytes of the items without the brackets of their array. */
const itemsBytes = (answer: Answer): number => bytesOf(JSON.stringify(ok(answer).items)) - 2;

Deno.test("listDocuments returns 16 MiB of documents, and refuses one byte more", async () => {
  await using app = await openTestApp();
  const { collection, last } = await openLarge(app);
  const owner = await createTestOwner(app, collection.project);
  const everyDocument = { path: "?limit=1000&sort=n", headers: { "cache-control": "no-cache" } };
  const leftBytes = ANSWER_BYTES_MAX - itemsBytes(await collection.asSecret(everyDocument));
  const write = async (length: number) => {
    const body = { text: "x".repeat(length) };
    ok(await collection.asSecret({ method: "PATCH", path: `/${last._id}`, body }));
  };
  await write(1 + leftBytes);
  assert.equal(itemsBytes(await collection.asSecret(everyDocument)), ANSWER_BYTES_MAX);
  await write(2 + leftBytes);
  for (const sort of ["n", "-n", "title"]) {
    const path = `?limit=1000&sort=${sort}`;
    refused(await collection.asPublic({ path }), 413, "ANSWER_TOO_LARGE", REMEDY);
    const ofMember = `/collections/posts/documents${path}`;
    refused(await owner.asOwner({ path: ofMember }), 413, "ANSWER_TOO_LARGE", REMEDY);
  }
  const fewer = ok(await collection.asPublic({ path: "?limit=16&sort=n" }));
  assert.deepEqual([fewer.items.length, fewer.total], [16, 17]);
  const rest = ok(
    await collection.asPublic({ path: `?limit=16&sort=n&cursor=${fewer.nextCursor}` }),
  );
  assert.equal(rest.items.length, 1);
});

Deno.test("listDocuments with selected fields returns all items of large documents", async () => {
  await using app = await openTestApp();
  const { collection } = await openLarge(app);
  const titles = async (query: string) =>
    ok(await collection.asPublic({ path: `?${query}` })).items.map(({ title }: Doc) =>
      Number(title)
    );
  const upTo17 = times(17, (n) => n);
  assert.deepEqual(await titles("fields=title&sort=n&limit=17"), upTo17);
  assert.deepEqual(await titles("fields=-text&sort=-n"), upTo17.toReversed());
  assert.deepEqual(await titles("fields=title&sort=n&page=2&limit=9"), upTo17.slice(9));
  const page = ok(await collection.asPublic({ path: "?fields=title&sort=n&limit=12" }));
  assert.deepEqual([page.items.length, page.total], [12, 17]);
  const next = `fields=title&sort=n&limit=12&cursor=${page.nextCursor}`;
  assert.deepEqual(await titles(next), upTo17.slice(12));
  const { prevCursor } = ok(await collection.asPublic({ path: `?${next}` }));
  const before = `fields=title&sort=n&limit=11&cursor=${prevCursor}`;
  assert.deepEqual(await titles(before), upTo17.slice(1, 12));
  await collection.insertOne({ n: 17, text: "x".repeat(TEXT_CHARACTERS) });
  refused(
    await collection.asPublic({ path: "?meta=false&sort=n" }),
    413,
    "ANSWER_TOO_LARGE",
    REMEDY,
  );
});

/** Stores posts that refer to one tag of about 900 KB. */
async function openLinked(app: TestApp, count: number) {
  const project = await app.project();
  await project.collection({ name: "tags", rls: { mode: "public-read" } });
  const posts = await createTestCollection(app, {
    fields: [
      { key: "tag", type: "Ref", ref: "tags" },
      { key: "tags", type: "Array", items: { type: "Ref", ref: "tags" } },
    ],
  }, project);
  const label = "a";
  const tag = await testCollectionOf(app, project, "tags")
    .insertOne({ label, text: "é".repeat(450_000) });
  const documents = times(count, () => ({ tag: tag._id, title: "x" }));
  ok(await posts.asSecret({ path: "/bulk", body: { documents } }), 201);
  return { posts, tag };
}

Deno.test("populated records count towards the largest response", async () => {
  await using app = await openTestApp();
  const { posts, tag } = await openLinked(app, 20);
  const owner = await createTestOwner(app, posts.project);
  const ofMember = "/collections/posts/documents";
  refused(await posts.asPublic({ path: "?populate=tag" }), 413, "ANSWER_TOO_LARGE", REMEDY);
  refused(
    await owner.asOwner({ path: `${ofMember}?populate=tag` }),
    413,
    "ANSWER_TOO_LARGE",
    REMEDY,
  );
  const fewer = ok(await posts.asPublic({ path: "?populate=tag&limit=18" }));
  assert.deepEqual(fewer.items.map((item: Doc) => item.tag), times(18, () => tag));
  for (const fields of ["tag._id,tag.label", "title", "-tag.text", "-tag"]) {
    const { items } = ok(await posts.asPublic({ path: `?populate=tag&fields=${fields}` }));
    assert.equal(items.length, 20, fields);
    const { text: _, ...rest } = tag;
    const populated = { "tag._id,tag.label": { _id: tag._id, label: "a" }, "-tag.text": rest };
    assert.deepEqual(items[0].tag, populated[fields as keyof typeof populated], fields);
  }
});

Deno.test("getDocument has the same largest response as a list", async () => {
  await using app = await openTestApp();
  const { posts, tag } = await openLinked(app, 1);
  const owner = await createTestOwner(app, posts.project);
  const many = await posts.insertOne({ tags: times(30_000, () => tag._id), title: "many" });
  const few = await posts.insertOne({ tags: times(18, () => tag._id), title: "few" });
  const path = `/${many._id}?populate=tags`;
  refused(await posts.asPublic({ path }), 413, "ANSWER_TOO_LARGE", REMEDY);
  const ofMember = `/collections/posts/documents${path}`;
  refused(await owner.asOwner({ path: ofMember }), 413, "ANSWER_TOO_LARGE", REMEDY);
  const populated = ok(await posts.asPublic({ path: `/${few._id}?populate=tags` }));
  assert.deepEqual(populated.tags, times(18, () => tag));
  assert.equal(ok(await posts.asPublic({ path: `${path}&fields=title` })).title, "many");
});

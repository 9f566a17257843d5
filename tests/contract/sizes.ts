import assert from "node:assert/strict";
import { ALL, eq } from "@/lib/store/filter.ts";
import { definition, id, newSpace, trashDefinition } from "./fixtures.ts";
import type { Cases } from "./suite.ts";

const TEXT = "x".repeat(1000);

/** Compares with a tolerance, for names and metadata in addition to the text. */
const assertAbout = (bytes: number, expected: number): void =>
  assert.ok(bytes >= expected && bytes < expected + 1000, `${bytes} bytes, not ${expected}`);

export const sizeCases: Cases = {
  "bytes follow every write of records with a trash": async ({ engine }) => {
    const space = newSpace();
    const posts = engine.records(space, trashDefinition({ name: "posts" }));
    const notes = engine.records(space, trashDefinition({ name: "notes" }));
    assert.equal(await engine.bytes(space), 0);
    await posts.insert({ _id: id(1), isDeleted: false, text: TEXT });
    assertAbout(await engine.bytes(space), 1000);
    await notes.insertMany([2, 3, 4].map((n) => ({ _id: id(n), isDeleted: true, text: TEXT })));
    assertAbout(await engine.bytes(space), 4000);
    await posts.updateOne(eq("_id", id(1)), { set: { text: TEXT + TEXT } });
    assertAbout(await engine.bytes(space), 5000);
    await posts.updateOne(eq("_id", id(1)), { set: { isDeleted: true } });
    assertAbout(await engine.bytes(space), 5000);
    await posts.updateOne(eq("_id", id(1)), { replace: { isDeleted: false, text: "é" } });
    assertAbout(await engine.bytes(space), 3000);
    await notes.deleteOne(eq("_id", id(2)));
    assertAbout(await engine.bytes(space), 2000);
    await notes.deleteMany(ALL, 10);
    await posts.deleteMany(ALL, 10);
    assert.equal(await engine.bytes(space), 0);
    assert.equal(await engine.bytes(newSpace()), 0);
  },

  "bytes of Corbel's own records count if their definition says so": async ({ engine }) => {
    const space = newSpace();
    const kept = definition({ name: "_kept", counted: true });
    const records = engine.records(space, kept);
    await engine.records(space, trashDefinition({ name: "posts" }))
      .insert({ _id: id(1), isDeleted: false, text: TEXT });
    assertAbout(await engine.bytes(space, [kept]), 1000);
    await records.insertMany([2, 3].map((n) => ({ _id: id(n), text: TEXT })));
    assertAbout(await engine.bytes(space), 1000);
    assertAbout(await engine.bytes(space, [kept]), 3000);
    assertAbout(await engine.bytesOf(space, kept), 2000);
    assert.equal(await engine.bytesOf(newSpace(), kept), 0);
    assert.equal(await engine.recount(space, kept), 0);
    await records.deleteOne(eq("_id", id(2)));
    assertAbout(await engine.bytes(space, [kept]), 2000);
  },

  "bytes are at least those of the text in UTF-8, whatever it consists of": async ({ engine }) => {
    const space = newSpace();
    const posts = engine.records(space, trashDefinition({ name: "posts" }));
    await posts.insert({ _id: id(1), isDeleted: false, text: "é".repeat(1000) });
    assertAbout(await engine.bytes(space), 2000);
    await posts.updateOne(eq("_id", id(1)), { set: { text: "😀".repeat(1000) } });
    assertAbout(await engine.bytes(space), 4000);
  },

  "undone and refused writes do not count, nor do Corbel's own records": async (
    { engine },
  ) => {
    const space = newSpace();
    const posts = trashDefinition({ name: "posts", bytesMax: 2000 });
    const records = engine.records(space, posts);
    await records.insert({ _id: id(1), isDeleted: false });
    const before = await engine.bytes(space);
    const failure = new Error("undone");
    await assert.rejects(
      engine.transaction(space, async (tx) => {
        await tx.records(posts).insert({ _id: id(2), isDeleted: false, text: TEXT });
        throw failure;
      }),
      failure,
    );
    await assert.rejects(records.insert({ _id: id(1), isDeleted: false, text: TEXT }));
    await assert.rejects(records.insert({ _id: id(3), isDeleted: false, text: TEXT + TEXT }));
    await assert.rejects(
      records.insertMany([4, 1].map((n) => ({ _id: id(n), isDeleted: false, text: TEXT }))),
    );
    await engine.records(space, definition({ name: "_own" })).insert({ _id: id(5), text: TEXT });
    assert.equal(await engine.bytes(space), before);
  },

  "bytes are exact after many concurrent writes, and a recount does not change them": async (
    { engine },
  ) => {
    const space = newSpace();
    const posts = trashDefinition({ name: "posts" });
    const records = engine.records(space, posts);
    const write = async (n: number) => {
      await records.insert({ _id: id(n), isDeleted: false, text: TEXT });
      await records.updateOne(eq("_id", id(n)), { set: { text: "y".repeat(1000 + n % 3) } });
      if (n % 2 === 0) await records.deleteOne(eq("_id", id(n)));
    };
    await Promise.all(Array.from({ length: 40 }, (_, n) => write(n)));
    const bytes = await engine.bytes(space);
    assert.equal(await engine.recount(space, posts), 0);
    assert.equal(await engine.bytes(space), bytes);
    await records.deleteMany(ALL, 100);
    assert.equal(await engine.bytes(space), 0);
  },

  "dropped records and their bytes are removed, and nothing else": async ({ engine }) => {
    const space = newSpace();
    const posts = trashDefinition({ name: "posts", fields: { n: { type: "Number" } } });
    const notes = trashDefinition({ name: "posts.1" });
    for (const definition of [posts, notes]) {
      await engine.records(space, definition).insert({ _id: id(1), isDeleted: false, text: TEXT });
    }
    await engine.dropDefinition(space, posts);
    assertAbout(await engine.bytes(space), 1000);
    assert.equal(await engine.records(space, notes).count(ALL), 1);
    await engine.dropDefinition(space, posts);
    await engine.dropDefinition(newSpace(), posts);
    const again = engine.records(space, { ...posts });
    await again.insert({ _id: id(1), isDeleted: false });
    assert.equal(await again.count(ALL), 1);
  },
};

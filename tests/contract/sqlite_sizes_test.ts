import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { SpaceFull } from "@/lib/store/errors.ts";
import { id, newSpace, trashDefinition, upTo } from "./fixtures.ts";
import { SecondProcess } from "./second_process.ts";
import { openFolder } from "./sqlite_folder.ts";

Deno.test("sqlite: a wrong count of bytes is corrected, and the difference is reported", async () => {
  await using store = await openFolder();
  const { engine, address } = store;
  const space = newSpace();
  const posts = trashDefinition({ name: "posts" });
  const records = engine.records(space, posts);
  await records.insert({ _id: id(1), isDeleted: false, text: "é" });
  const bytes = await engine.bytes(space);
  assert.equal(bytes, new TextEncoder().encode((await records.get(id(1)))!.json).length);
  using file = new DatabaseSync(`${address.slice("sqlite:".length)}/projects/${space}.db`);
  file.exec("update counts set bytes = bytes - 7 where name = 'posts'");
  assert.equal(await engine.bytes(space), bytes - 7);
  assert.equal(await engine.recount(space, posts), 7);
  assert.equal(await engine.bytes(space), bytes);
  assert.equal(await engine.recount(space, posts), 0);
});

Deno.test("sqlite: two concurrent processes fill a space to the last record, and no further", async () => {
  await using store = await openFolder();
  await using other = await SecondProcess.start(store.address);
  const { engine } = store;
  const space = newSpace();
  const posts = trashDefinition({ name: "posts" });
  const post = (n: number) => ({ _id: id(n), isDeleted: false, text: "x".repeat(1000) });
  await engine.records(space, posts).insert(post(1));
  const size = await engine.bytes(space);
  const quota = { bytesMax: 51 * size + size / 2, alsoCounted: [] };
  const theirs = other.run({
    space,
    definition: posts,
    writing: { quota },
    calls: upTo(100).map((n) => ({ insert: post(1000 + n) })),
    how: "together",
  });
  const records = engine.records(space, posts, { quota });
  const ended = await Promise.allSettled(upTo(100).map((n) => records.insert(post(2000 + n))));
  for (const one of ended) assert.ok(one.status === "fulfilled" || one.reason instanceof SpaceFull);
  const outcomes = [...ended.map(({ status }) => status), ...await theirs];
  const isStored = (one: unknown) =>
    one === "fulfilled" || (typeof one === "object" && one !== null && "json" in one);
  assert.equal(outcomes.filter(isStored).length, 50);
  assert.equal(await engine.bytes(space), 51 * size);
});

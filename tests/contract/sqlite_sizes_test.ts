import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { id, newSpace, trashDefinition } from "./fixtures.ts";
import { openFolder } from "./sqlite_folder.ts";

Deno.test("sqlite: a count of bytes that is off is set right, and says by how much it was", async () => {
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

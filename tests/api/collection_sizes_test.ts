import assert from "node:assert/strict";
import { readCollectionSizes } from "@/lib/documents/collection_sizes.ts";
import { compileCollections } from "@/lib/documents/save_collection.ts";
import { openTestApp } from "../support/test_app.ts";

Deno.test("readCollectionSizes returns each collection with its size", async () => {
  await using app = await openTestApp();
  const { services } = app;
  const project = await app.project();
  const { projectId } = project;
  const sizes = async () => (await readCollectionSizes(services, projectId)).map(Object.values);
  assert.deepEqual(await sizes(), []);
  await project.collection({ name: "posts", fields: [{ key: "title", type: "String" }] });
  await project.collection({ name: "notes" });
  const body = { documents: Array.from({ length: 40 }, (_, i) => ({ title: `${i}` })) };
  assert.equal((await project.asSecret({ path: "/api/data/posts/bulk", body })).status, 201);
  assert.deepEqual(await sizes(), [["notes", 0], ["posts", 40]]);
  await project.collection({ name: "more" });
  assert.deepEqual(await sizes(), [["more", 0], ["notes", 0], ["posts", 40]]);
  const stored = await compileCollections(services, projectId);
  assert.deepEqual(stored.map(({ definition }) => definition.name).toSorted(), [
    "more",
    "notes",
    "posts",
  ]);
  const other = await app.project();
  assert.deepEqual(await compileCollections(services, other.projectId), []);
});

import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { ok } from "./test_collection.ts";

Deno.test("listCollections returns definitions sorted by name, also to viewers", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  assert.deepEqual(ok(await owner.asOwner({ path: "/collections" })), { items: [] });
  for (const name of ["tasks", "posts"]) await owner.project.collection({ name, fields: [] });
  const { items } = ok(await owner.as("viewer", { path: "/collections" }));
  assert.deepEqual(items.map(({ name }: { name: string }) => name), ["posts", "tasks"]);
  assert.deepEqual(items[0].rls, { enabled: true, mode: "private", ownerField: "userId" });
});

import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { ok, refused } from "./test_collection.ts";

const PATH = "/collections/posts/views";

Deno.test("listViews returns the views of one collection sorted by name, also to viewers", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  for (const name of ["posts", "notes"]) await owner.project.collection({ name });
  assert.deepEqual(ok(await owner.asOwner({ path: PATH })).items, []);
  const put = (path: string, query: string) =>
    owner.asOwner({ method: "PUT", path, body: { query } });
  ok(await put(`${PATH}/Old`, "sort=createdAt"));
  ok(await put(`${PATH}/All%20of%20it`, ""));
  ok(await put("/collections/notes/views/Notes", ""));
  assert.deepEqual(ok(await owner.as("viewer", { path: PATH })).items, [
    { name: "All of it", query: "", columns: null },
    { name: "Old", query: "sort=createdAt", columns: null },
  ]);
});

Deno.test("listViews returns no views of a missing or deleted collection", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  refused(await owner.asOwner({ path: PATH }), 404, "COLLECTION_NOT_FOUND");
  await owner.project.collection({ name: "posts" });
  ok(await owner.asOwner({ method: "PUT", path: `${PATH}/A`, body: { query: "" } }));
  ok(await owner.asOwner({ method: "DELETE", path: "/collections/posts" }));
  refused(await owner.asOwner({ path: PATH }), 404, "COLLECTION_NOT_FOUND");
  await owner.project.collection({ name: "posts" });
  assert.deepEqual(ok(await owner.asOwner({ path: PATH })).items, []);
});

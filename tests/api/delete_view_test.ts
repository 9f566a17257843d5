import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { ok, refused } from "./test_collection.ts";

const PATH = "/collections/posts/views";

Deno.test("deleteView deletes one view once, and admits only admins and the owner", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.project.collection({ name: "posts" });
  for (const name of ["A", "B"]) {
    ok(await owner.asOwner({ method: "PUT", path: `${PATH}/${name}`, body: { query: "" } }));
  }
  const remove = { method: "DELETE", path: `${PATH}/A` };
  await owner.isForAdmins(remove);
  assert.deepEqual(ok(await owner.asOwner(remove)), { name: "A" });
  refused(await owner.asOwner(remove), 404, "VIEW_NOT_FOUND");
  refused(await owner.asOwner({ ...remove, path: `${PATH}/b` }), 404, "VIEW_NOT_FOUND");
  refused(await owner.asOwner({ ...remove, path: `${PATH}/%20` }), 400, "INVALID_INPUT");
  const elsewhere = { ...remove, path: "/collections/none/views/B" };
  refused(await owner.asOwner(elsewhere), 404, "COLLECTION_NOT_FOUND");
  const { items } = ok(await owner.asOwner({ path: PATH }));
  assert.deepEqual(items.map(({ name }: { name: string }) => name), ["B"]);
});

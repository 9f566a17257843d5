import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { NOBODY, ok, refused } from "./test_collection.ts";

Deno.test("members read a user of their project, and of no other", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const ann = await owner.project.user();
  const foreign = await (await app.project()).user();
  const found = ok(await owner.as("viewer", { path: `/users/${ann.id}` }));
  assert.deepEqual([found._id, found.disabled], [ann.id, false]);
  assert.deepEqual(
    found,
    ok(await owner.project.asSecret({ path: `/api/userAuth/users/${ann.id}` })),
  );
  for (const id of [NOBODY, foreign.id]) {
    refused(await owner.asOwner({ path: `/users/${id}` }), 404, "USER_NOT_FOUND");
  }
  refused(await owner.asOwner({ path: "/users/x" }), 400, "INVALID_ID");
});

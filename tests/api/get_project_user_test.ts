import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { openDesk } from "./desk.ts";
import { NOBODY, ok, refused } from "./shelf.ts";

Deno.test("members read a user of their project, and of no other", async () => {
  await using app = await openTestApp();
  const desk = await openDesk(app);
  const ann = await desk.project.user();
  const foreign = await (await app.project()).user();
  const found = ok(await desk.as("viewer", { path: `/users/${ann.id}` }));
  assert.deepEqual([found._id, found.disabled], [ann.id, false]);
  assert.deepEqual(
    found,
    ok(await desk.project.asSecret({ path: `/api/userAuth/users/${ann.id}` })),
  );
  for (const id of [NOBODY, foreign.id]) {
    refused(await desk.asOwner({ path: `/users/${id}` }), 404, "USER_NOT_FOUND");
  }
  refused(await desk.asOwner({ path: "/users/x" }), 400, "INVALID_ID");
});

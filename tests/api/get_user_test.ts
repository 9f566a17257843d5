import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";
import { signIn } from "./signed_in.ts";

const reading = (id: string) => ({ path: `/api/userAuth/users/${id}` });

Deno.test("getUser returns what getMe returns, and whether the user is disabled", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const me = ok(await project.asPublic({ path: "/api/userAuth/me" }, user));
  assert.deepEqual(ok(await project.asSecret(reading(user.id))), { ...me, disabled: false });
  const upper = await project.asSecret(reading(user.id.toUpperCase()));
  assert.equal(ok(upper)._id, user.id);
});

Deno.test("getUser returns one 404 for unknown and foreign users, and 400 for an invalid id", async () => {
  await using app = await openTestApp();
  const [project, stranger] = [await app.project(), await app.project()];
  const foreign = await signIn(app, stranger);
  const unknown = await project.asSecret(reading(UNKNOWN_ID));
  refused(unknown, 404, "USER_NOT_FOUND");
  assert.equal((await project.asSecret(reading(foreign.id))).text, unknown.text);
  for (const id of ["x", "ann@example.com", `${foreign.id}0`]) {
    refused(await project.asSecret(reading(id)), 400, "INVALID_ID");
  }
});

Deno.test("getUser refuses a publishable key, also for the user's own record", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  refused(await project.asPublic(reading(user.id)), 403, "SECRET_KEY_REQUIRED");
  refused(await project.asPublic(reading(user.id), user), 403, "SECRET_KEY_REQUIRED");
});

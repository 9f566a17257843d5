import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { NOBODY, ok, refused } from "./test_collection.ts";
import { signIn } from "./signed_in.ts";

const callOf = (id: string) => ({ path: `/api/userAuth/users/${id}` });

Deno.test("a server reads what users read of themselves, and whether they are disabled", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const me = ok(await project.asPublic({ path: "/api/userAuth/me" }, user));
  assert.deepEqual(ok(await project.asSecret(callOf(user.id))), { ...me, disabled: false });
  const upper = await project.asSecret(callOf(user.id.toUpperCase()));
  assert.equal(ok(upper)._id, user.id);
});

Deno.test("an unknown user and one of another project are one 404; what is no id is 400", async () => {
  await using app = await openTestApp();
  const [project, stranger] = [await app.project(), await app.project()];
  const foreign = await signIn(app, stranger);
  const unknown = await project.asSecret(callOf(NOBODY));
  refused(unknown, 404, "USER_NOT_FOUND");
  assert.equal((await project.asSecret(callOf(foreign.id))).text, unknown.text);
  for (const id of ["x", "ann@example.com", `${foreign.id}0`]) {
    refused(await project.asSecret(callOf(id)), 400, "INVALID_ID");
  }
});

Deno.test("only the secret key reads users, also oneself", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  refused(await project.asPublic(callOf(user.id)), 403, "SECRET_KEY_REQUIRED");
  refused(await project.asPublic(callOf(user.id), user), 403, "SECRET_KEY_REQUIRED");
});

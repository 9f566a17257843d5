import assert from "node:assert/strict";
import { Problem } from "@/lib/problems.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { NOBODY, ok, refused } from "./test_collection.ts";
import { isSignedIn, signIn } from "./signed_in.ts";
import { ADA, declareFields, logIn, NEXT_PASSWORD, signUp, traceless } from "./user_email.ts";

const patch = (id: string, body: unknown) => ({ method: "PATCH", path: `/users/${id}`, body });

Deno.test("a disabled user is signed out at once, until they are enabled and sign in again", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const ann = await signIn(app, owner.project);
  assert.equal(ok(await owner.as("admin", patch(ann.id, { disabled: true }))).disabled, true);
  assert.equal(await isSignedIn(owner.project, ann), false);
  assert.equal(ok(await owner.asOwner(patch(ann.id, { disabled: false }))).disabled, false);
  assert.ok(await isSignedIn(owner.project, await signIn(app, owner.project, ann.id)));
});

Deno.test("an owner sets what the secret key sets: profile, address, password, roles and declared fields", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const { project } = owner;
  await declareFields(app, project, { key: "company", type: "String" });
  const user = await signUp(project);
  const change = { email: ADA, emailVerified: true, roles: ["editor"], company: "Engines" };
  const changed = ok(await owner.asOwner(patch(user.id, { ...change, password: NEXT_PASSWORD })));
  const { email, emailVerified, roles, company } = changed;
  assert.deepEqual({ email, emailVerified, roles, company }, change);
  assert.equal(await isSignedIn(project, user), false);
  ok(await logIn(project, ADA, NEXT_PASSWORD));
});

Deno.test("what is taken or cannot be chosen is refused and changes nothing", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const { project } = owner;
  await signUp(project, { email: ADA, username: "ada" });
  const { id } = await signUp(project);
  await traceless(app, project, async () => {
    refused(await owner.asOwner(patch(id, { email: ADA })), 409, "EMAIL_TAKEN");
    refused(await owner.asOwner(patch(id, { username: "ADA" })), 409, "USERNAME_TAKEN");
    refused(await owner.asOwner(patch(id, { password: "short" })), 400, "INVALID_PASSWORD");
    const full = { run: () => Promise.reject(new Problem("PASSWORDS_BUSY", { retryAfter: 2 })) };
    const busy = await send(createApp({ ...app.services, passwordQueue: full }), {
      ...patch(id, { password: NEXT_PASSWORD }),
      path: `/api/projects/${owner.projectId}/users/${id}`,
      headers: { cookie: owner.account.cookie },
    });
    refused(busy, 503, "PASSWORDS_BUSY");
  });
});

Deno.test("another change, another user and another role are refused", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const ann = await signIn(app, owner.project);
  for (const body of [{}, { disabled: 1 }, { disabled: true, email: "a" }, { company: "x" }]) {
    refused(await owner.asOwner(patch(ann.id, body)), 400, "INVALID_BODY");
  }
  refused(await owner.asOwner(patch("x", { disabled: true })), 400, "INVALID_ID");
  refused(await owner.asOwner(patch(NOBODY, { disabled: true })), 404, "USER_NOT_FOUND");
  await owner.isForAdmins(patch(ann.id, { disabled: true }));
  assert.ok(await isSignedIn(owner.project, ann));
});

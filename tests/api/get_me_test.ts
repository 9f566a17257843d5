import assert from "node:assert/strict";
import { type UserRecord, USERS } from "@/lib/auth/users.ts";
import { eq } from "@/lib/store/filter.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";
import { signIn } from "./signed_in.ts";
import { declareFields } from "./user_email.ts";

const ME = { path: "/api/userAuth/me" };

Deno.test("getMe returns the user's own record without its password hash", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const provider = {
    provider: "github",
    providerUserId: "1815",
    linkedAt: "2026-01-31T12:00:00.000Z",
  };
  const users = app.services.engine.records<UserRecord>(project.projectId, USERS);
  const change = { name: "Ada", passwordHash: "$argon2id$hash", providers: [provider] };
  const { value } = (await users.updateOne(eq("_id", user.id), { set: change }))!;
  const answer = await project.asPublic(ME, user);
  assert.deepEqual(ok(answer), {
    _id: user.id,
    email: value.email,
    emailVerified: true,
    name: "Ada",
    username: null,
    avatarUrl: null,
    providers: [provider],
    isAnonymous: false,
    roles: [],
    claims: {},
    createdAt: "2026-01-31T12:00:00.000Z",
    updatedAt: "2026-01-31T12:00:00.000Z",
    lastSignInAt: "2026-01-31T12:00:00.000Z",
  });
  assert.ok(!answer.text.includes("argon2"));
});

Deno.test("getMe returns roles, claims and declared fields, and null for missing values", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const body = { roles: ["editor"], claims: { plan: "pro" } };
  const path = `/api/userAuth/users/${user.id}`;
  ok(await project.asSecret({ method: "PATCH", path, body }));
  await declareFields(app, project, { key: "company", type: "String", required: true });
  const { roles, claims, company } = ok(await project.asPublic(ME, user));
  assert.deepEqual({ roles, claims, company }, { ...body, company: null });
});

Deno.test("getMe returns the complete shape for a record of an earlier version", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const before = ok(await project.asPublic(ME, user));
  const users = app.services.engine.records<UserRecord>(project.projectId, USERS);
  await users.updateOne(eq("_id", user.id), {
    unset: ["providers", "ownMembers", "passwordHash", "lastSignInAt", "usernameLower"],
  });
  assert.deepEqual(ok(await project.asPublic(ME, user)), { ...before, lastSignInAt: null });
  const patched = await project.asPublic({ ...ME, method: "PATCH", body: { name: "Ada" } }, user);
  assert.equal(ok(patched).name, "Ada");
});

Deno.test("getMe returns the user of the access token, and only in the token's project", async () => {
  await using app = await openTestApp();
  const [project, stranger] = [await app.project(), await app.project()];
  const [ann, bob] = [await signIn(app, project), await signIn(app, project)];
  assert.equal(ok(await project.asPublic(ME, ann))._id, ann.id);
  assert.equal(ok(await project.asPublic(ME, bob))._id, bob.id);
  refused(await stranger.asPublic(ME, ann), 401, "ACCESS_TOKEN_INVALID");
});

Deno.test("getMe refuses the token of a user whom another process deleted", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  ok(await project.asPublic(ME, user));
  await app.services.engine.records(project.projectId, USERS).deleteOne(eq("_id", user.id));
  refused(await project.asPublic(ME, user), 401, "ACCESS_TOKEN_INVALID");
});

Deno.test("getMe requires an access token and a publishable key", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { token } = await signIn(app, project);
  refused(await project.asPublic(ME), 401, "ACCESS_TOKEN_REQUIRED");
  const headers = { authorization: `Bearer ${token}` };
  refused(await project.asSecret({ ...ME, headers }), 403, "PUBLISHABLE_KEY_REQUIRED");
});

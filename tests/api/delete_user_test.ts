import assert from "node:assert/strict";
import { createUser } from "@/lib/auth/create_user.ts";
import { IDENTITIES, identityOf, type IdentityRecord } from "@/lib/auth/identities.ts";
import { SESSIONS } from "@/lib/auth/sessions.ts";
import { ALL } from "@/lib/store/filter.ts";
import { openTestApp, type TestProject } from "../support/test_app.ts";
import { ok, refused, tally, times, UNKNOWN_ID } from "./test_collection.ts";
import { arrive, isSignedIn, refresh, signIn } from "./signed_in.ts";

const remove = (project: TestProject, id: string) =>
  project.asSecret({ method: "DELETE", path: `/api/userAuth/users/${id}` });

Deno.test("deleteUser removes the user with their sessions and identities", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const other = await signIn(app, project);
  const { engine, newId } = app.services;
  const identities = engine.records<IdentityRecord>(project.projectId, IDENTITIES);
  const seen = { email: null, name: null, username: null, avatarUrl: null };
  for (const { id } of [user, other]) {
    await identities.insert({ _id: newId(), identity: identityOf("github", id), userId: id, seen });
  }
  assert.ok(await isSignedIn(project, user));
  assert.deepEqual(ok(await remove(project, user.id)), { id: user.id });

  assert.equal(await isSignedIn(project, user), false, "the session ends at once");
  refused(await refresh(project, user.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  refused(
    await project.asSecret({ path: `/api/userAuth/users/${user.id}` }),
    404,
    "USER_NOT_FOUND",
  );
  await assert.rejects(arrive(app, project, user.id), { code: "USER_NOT_FOUND" });
  for (const definition of [SESSIONS, IDENTITIES]) {
    const records = engine.records(project.projectId, definition);
    const { items } = await records.list({ filter: ALL, sort: [], limit: 100 });
    assert.ok(!items.includes(user.id), definition.name);
    assert.ok(items.includes(other.id), definition.name);
  }
  assert.ok(await isSignedIn(project, other));
});

Deno.test("deleteUser keeps the user's documents and frees the address", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await project.collection({ name: "notes", fields: [] });
  const input = { email: "ann@example.com", verified: true };
  const id = await createUser(app.services, project.projectId, input);
  const user = await signIn(app, project, id);
  const note = ok(await project.asPublic({ path: "/api/data/notes", body: { n: 1 } }, user), 201);
  ok(await remove(project, id));
  const kept = ok(await project.asSecret({ path: `/api/data/notes/${note._id}` }));
  assert.deepEqual([kept.n, kept.userId], [1, id]);
  assert.notEqual(await createUser(app.services, project.projectId, input), id);
});

Deno.test("exactly one of 20 concurrent deletions succeeds, and sign-ins leave no session", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { id } = await signIn(app, project);
  const [answers, arrivals] = await Promise.all([
    Promise.all(times(20, () => remove(project, id))),
    Promise.all(times(5, () => arrive(app, project, id).catch(() => null))),
  ]);
  assert.deepEqual(tally(answers), { 200: 1, 404: 19 });
  for (const arrival of arrivals) {
    if (arrival !== null) assert.equal(await isSignedIn(project, arrival), false);
  }
  const sessions = app.services.engine.records(project.projectId, SESSIONS);
  assert.equal(await sessions.count(ALL), 0);
});

Deno.test("deleteUser is 404 for unknown and foreign users, and 400 for a malformed id", async () => {
  await using app = await openTestApp();
  const [project, stranger] = [await app.project(), await app.project()];
  const foreign = await signIn(app, stranger);
  for (const id of [UNKNOWN_ID, foreign.id]) {
    refused(await remove(project, id), 404, "USER_NOT_FOUND");
  }
  refused(await remove(project, "x"), 400, "INVALID_ID");
  assert.ok(await isSignedIn(stranger, foreign));
});

Deno.test("deleteUser requires the secret key, even for the caller's own user", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const call = { method: "DELETE", path: `/api/userAuth/users/${user.id}` };
  refused(await project.asPublic(call, user), 403, "SECRET_KEY_REQUIRED");
  assert.ok(await isSignedIn(project, user));
});

import assert from "node:assert/strict";
import { type UserRecord, USERS } from "@/lib/auth/users.ts";
import type { Id } from "@/lib/store/port.ts";
import { openTestApp, type TestApp, type TestProject, type TestUser } from "../support/test_app.ts";
import { ok, refused, tally } from "./test_collection.ts";
import { signIn } from "./signed_in.ts";

const PATH = "/api/userAuth/me";

const patch = (project: TestProject, user: TestUser, body: unknown) =>
  project.asPublic({ method: "PATCH", path: PATH, body }, user);

async function stored({ services }: TestApp, { projectId }: TestProject, id: Id) {
  return (await services.engine.records<UserRecord>(projectId, USERS).get(id))!.value;
}

Deno.test("users set their name, username and avatar, and clear them with null", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  app.clock.advance(1000);
  const avatarUrl = "https://example.com/ada.png?size=200";
  const set = ok(await patch(project, user, { name: "Ada", username: "ada", avatarUrl }));
  assert.deepEqual(
    [set.name, set.username, set.avatarUrl, set.updatedAt],
    ["Ada", "ada", avatarUrl, "2026-01-31T12:00:01.000Z"],
  );
  assert.deepEqual(ok(await project.asPublic({ path: PATH }, user)), set);
  const cleared = ok(await patch(project, user, { username: null }));
  assert.deepEqual([cleared.name, cleared.username], ["Ada", null]);
});

Deno.test("what they set is remembered as their own, null too, and what they did not set is not", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  ok(await patch(project, user, { name: "Ada" }));
  assert.deepEqual((await stored(app, project, user.id)).ownMembers, ["name"]);
  ok(await patch(project, user, { name: "Ada L.", avatarUrl: null }));
  assert.deepEqual((await stored(app, project, user.id)).ownMembers, ["name", "avatarUrl"]);
});

Deno.test("changes of different members at the same time are all kept and remembered", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const changes = { name: "Ada", username: "ada", avatarUrl: "https://example.com/a.png" };
  const answers = await Promise.all(
    Object.entries(changes).map(([name, value]) => patch(project, user, { [name]: value })),
  );
  assert.deepEqual(tally(answers), { 200: 3 });
  const { ownMembers, name, username, avatarUrl } = await stored(app, project, user.id);
  assert.deepEqual({ name, username, avatarUrl }, changes);
  assert.deepEqual(ownMembers.toSorted(), ["avatarUrl", "name", "username"]);
});

Deno.test("a value that is too long, empty, of another type or no https address is 400 and is named", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const before = await stored(app, project, user.id);
  const wrong: [unknown, string][] = [
    [{ name: "" }, "name"],
    [{ name: "  " }, "name"],
    [{ name: "x".repeat(201) }, "200"],
    [{ name: 5 }, "name"],
    [{ name: ["Ada"] }, "name"],
    [{ name: "a\u0000b" }, "name"],
    [{ name: "a\nb" }, "name"],
    ['{"name":"\\ud800"}', "name"],
    [{ username: "x".repeat(65) }, "64"],
    [{ username: {} }, "username"],
    [{ avatarUrl: "http://example.com/a.png" }, "https"],
    [{ avatarUrl: "javascript:alert(1)" }, "https"],
    [{ avatarUrl: "https:example.com" }, "https"],
    [{ avatarUrl: "https://" }, "https"],
    [{ avatarUrl: "https://example.com/a b" }, "https"],
    [{ avatarUrl: `https://example.com/${"x".repeat(2048)}` }, "2048"],
    [{ name: "Ada", avatarUrl: "x" }, "https"],
    [{}, "name"],
    [[], "object"],
  ];
  for (const [body, says] of wrong) {
    refused(await patch(project, user, body), 400, "INVALID_BODY", says);
  }
  assert.deepEqual(await stored(app, project, user.id), before);
  ok(await patch(project, user, { name: "x".repeat(200), username: "x".repeat(64) }));
});

Deno.test("nothing else of the record can be changed", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const before = await stored(app, project, user.id);
  const members = {
    _id: "x",
    email: "eve@example.com",
    emailLower: "eve@example.com",
    emailVerified: true,
    disabled: false,
    passwordHash: "x",
    providers: [],
    ownMembers: [],
    createdAt: "2026-01-31T12:00:00.000Z",
    lastSignInAt: null,
    role: "admin",
    "name.first": "Ada",
    $set: {},
    toString: "x",
  };
  for (const [name, value] of Object.entries(members)) {
    const answer = await patch(project, user, { name: "Eve", [name]: value });
    refused(answer, 400, "INVALID_BODY", JSON.stringify(name));
  }
  refused(await patch(project, user, '{"__proto__":{"name":"Eve"}}'), 400, "INVALID_BODY");
  assert.deepEqual(await stored(app, project, user.id), before);
});

Deno.test("without an access token 401, with the secret key 403", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const call = { method: "PATCH", path: PATH, body: { name: "Eve" } };
  refused(await project.asPublic(call), 401, "ACCESS_TOKEN_REQUIRED");
  refused(await project.asSecret(call), 403, "PUBLISHABLE_KEY_REQUIRED");
});

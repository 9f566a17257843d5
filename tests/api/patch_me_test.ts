import assert from "node:assert/strict";
import { type UserRecord, USERS } from "@/lib/auth/users.ts";
import type { Id } from "@/lib/store/port.ts";
import { openTestApp, type TestApp, type TestProject, type TestUser } from "../support/test_app.ts";
import { ok, refused, tally } from "./test_collection.ts";
import { signIn } from "./signed_in.ts";
import { declareFields } from "./user_email.ts";

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

Deno.test("members that users set, even to null, are marked as set by them, and no others", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  ok(await patch(project, user, { name: "Ada" }));
  assert.deepEqual((await stored(app, project, user.id)).ownMembers, ["name"]);
  ok(await patch(project, user, { name: "Ada L.", avatarUrl: null }));
  assert.deepEqual((await stored(app, project, user.id)).ownMembers, ["name", "avatarUrl"]);
});

Deno.test("concurrent changes of different members are all stored and marked", async () => {
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

Deno.test("an invalid value is 400, and the error names its member", async () => {
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
    [{ username: "x".repeat(51) }, "3 to 50"],
    [{ username: "ab" }, "3 to 50"],
    [{ username: "" }, "username"],
    [{ username: "a b c" }, "username"],
    [{ username: "adá" }, "username"],
    [{ username: "\u212Aate" }, "username"],
    [{ username: "ada@example.com" }, "username"],
    [{ username: "ada\n" }, "username"],
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
  ok(await patch(project, user, { name: "x".repeat(200), username: "x".repeat(50) }));
  ok(await patch(project, user, { username: "A_b.c-9" }));
});

Deno.test("a username is unique in any letter case, until its user gives it up", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const [ann, bob] = [await signIn(app, project), await signIn(app, project)];
  const stranger = await app.project();
  ok(await patch(project, ann, { username: "Ada" }));
  const before = await stored(app, project, bob.id);
  for (const username of ["Ada", "aDA"]) {
    refused(await patch(project, bob, { name: "Bob", username }), 409, "USERNAME_TAKEN");
  }
  assert.deepEqual(await stored(app, project, bob.id), before);
  ok(await patch(stranger, await signIn(app, stranger), { username: "Ada" }));
  assert.equal(ok(await patch(project, ann, { username: "ADA" })).username, "ADA");
  ok(await patch(project, ann, { username: null }));
  ok(await patch(project, bob, { username: "ada" }));
});

Deno.test("declared fields are set one by one, also from none, and cleared with null", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await declareFields(
    app,
    project,
    { key: "company", type: "String" },
    { key: "age", type: "Number" },
    { key: "plan", type: "String", required: true },
  );
  const user = await signIn(app, project);
  assert.equal((await stored(app, project, user.id)).fields, undefined);
  const set = ok(await patch(project, user, { company: "Engines", age: 36 }));
  assert.deepEqual([set.company, set.age, set.plan], ["Engines", 36, null]);
  assert.equal(ok(await patch(project, user, { age: null })).company, "Engines");
  assert.deepEqual((await stored(app, project, user.id)).ownMembers, []);
  const before = await stored(app, project, user.id);
  refused(await patch(project, user, { name: "A", plan: null }), 400, "INVALID_BODY", "plan");
  refused(await patch(project, user, { name: "A", age: "old" }), 400, "INVALID_BODY", "age");
  refused(await patch(project, user, { "company.name": "x" }), 400, "INVALID_BODY", "company.name");
  assert.deepEqual(await stored(app, project, user.id), before);
});

Deno.test("declared fields share one size limit across changes, and a refusal changes nothing", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const keys = ["one", "two"];
  await declareFields(app, project, ...keys.map((key) => ({ key, type: "String" })));
  const user = await signIn(app, project);
  ok(await patch(project, user, { one: "x".repeat(40_000) }));
  const before = await stored(app, project, user.id);
  const over = await patch(project, user, { name: "A", two: "x".repeat(40_000) });
  refused(over, 400, "INVALID_BODY", "65536 bytes");
  assert.deepEqual(await stored(app, project, user.id), before);
  ok(await patch(project, user, { one: null, two: "x".repeat(40_000) }));
});

Deno.test("no other member of the user's record can be changed", async () => {
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
    roles: ["admin"],
    claims: { plan: "pro" },
    isAnonymous: false,
    usernameLower: "eve",
    fields: { plan: "pro" },
    "fields.plan": "pro",
    password: "x",
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

Deno.test("patchMe without an access token is 401, with the secret key 403", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const call = { method: "PATCH", path: PATH, body: { name: "Eve" } };
  refused(await project.asPublic(call), 401, "ACCESS_TOKEN_REQUIRED");
  refused(await project.asSecret(call), 403, "PUBLISHABLE_KEY_REQUIRED");
});

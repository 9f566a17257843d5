import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { ok, refused, times } from "./test_collection.ts";
import { signUp, storedUser } from "./user_email.ts";

const callOf = (fields: unknown) => ({ method: "PUT", path: "/users/fields", body: { fields } });

Deno.test("setUserFields replaces all fields from the next request on", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const { project } = owner;
  const first = { key: "company", type: "String" };
  const { fields } = ok(await owner.asOwner(callOf([first])));
  assert.deepEqual(fields.map(({ key }: { key: string }) => key), ["company"]);
  assert.equal(fields[0].public, false);
  const user = await signUp(project, { company: "Engines" });
  ok(await owner.as("admin", callOf([{ key: "age", type: "Number", public: true }])));
  const me = ok(await project.asPublic({ path: "/api/userAuth/me" }, user));
  assert.deepEqual([me.age, "company" in me], [null, false]);
  const patch = { method: "PATCH", path: "/api/userAuth/me", body: { company: "x" } };
  refused(await project.asPublic(patch, user), 400, "INVALID_BODY", "company");
  ok(await project.asPublic({ ...patch, body: { age: 36 } }, user));
  assert.deepEqual(
    (await storedUser(app, project, user.id)).fields,
    { company: "Engines", age: 36 },
    "values of removed fields stay",
  );
  ok(await owner.asOwner(callOf([first])));
  const again = ok(await project.asPublic({ path: "/api/userAuth/me" }, user));
  assert.deepEqual([again.company, "age" in again], ["Engines", false]);
});

Deno.test("user fields may be objects, lists and references, with a collection's rules", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  ok(
    await owner.asOwner(callOf([
      {
        key: "address",
        type: "Object",
        fields: [{ key: "city", type: "String", required: true }],
      },
      { key: "tags", type: "Array", items: { type: "String" } },
      { key: "born", type: "Date" },
    ])),
  );
  const { project } = owner;
  const given = { address: { city: "London" }, tags: ["a"], born: "1815-12-10" };
  const user = await signUp(project, given);
  const me = ok(await project.asPublic({ path: "/api/userAuth/me" }, user));
  assert.deepEqual(
    [me.address, me.tags, me.born],
    [given.address, given.tags, "1815-12-10T00:00:00.000Z"],
  );
  const patch = (body: unknown) =>
    project.asPublic({ method: "PATCH", path: "/api/userAuth/me", body }, user);
  for (
    const [body, says] of [
      [{ address: {} }, "city"],
      [{ address: { city: "London", planet: "Earth" } }, "planet"],
      [{ tags: ["a", 1] }, "tags"],
      [{ born: "long ago" }, "born"],
    ] as const
  ) {
    refused(await patch(body), 400, "INVALID_BODY", says);
  }
  ok(await patch({ address: null, tags: [] }));
});

Deno.test("setUserFields refuses invalid definitions, built-in names and unsupported options", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  ok(await owner.asOwner(callOf([{ key: "company", type: "String" }])));
  const text = { type: "String" };
  const wrong: [unknown, string][] = [
    [[{ key: "a" }], "type"],
    [[{ ...text }], "key"],
    [[{ key: "a b", ...text }], "a b"],
    [[{ key: "a", type: "Text" }], "type"],
    [[{ key: "a", ...text }, { key: "a", ...text }], "a"],
    [[{ key: "age", type: "Number", default: "old" }], "default"],
    [[{ key: "a", ...text, public: "yes" }], "public"],
    [[{ key: "a", ...text, public: null }], "public"],
    [[{ key: "a", ...text, unique: true }], "unique, index, search or file"],
    [[{ key: "a", ...text, index: true }], "unique, index, search or file"],
    [[{ key: "a", ...text, search: true }], "unique, index, search or file"],
    [[{ key: "a", ...text, file: true }], "unique, index, search or file"],
    [[{ key: "a", ...text, secret: true }], "secret"],
  ];
  for (const [fields, says] of wrong) {
    refused(await owner.asOwner(callOf(fields)), 400, "INVALID_DEFINITION", says);
  }
  const members = ["email", "emailVerified", "name", "username", "avatarUrl", "providers", "roles"];
  members.push("claims", "disabled", "isAnonymous", "password", "lastSignInAt", "message");
  for (const key of members) {
    const answer = await owner.asOwner(callOf([{ key, ...text }]));
    refused(answer, 400, "INVALID_DEFINITION", "member of every user");
  }
  for (const key of ["_id", "createdAt", "updatedAt"]) {
    refused(await owner.asOwner(callOf([{ key, ...text }])), 400, "INVALID_DEFINITION", key);
  }
  for (const body of [{}, [], { fields: {} }, { fields: [null] }, { fields: [], more: 1 }]) {
    refused(await owner.asOwner({ ...callOf([]), body }), 400, "INVALID_BODY", '"fields"');
  }
  const { fields } = ok(await owner.asOwner({ path: "/users/fields" }));
  assert.deepEqual(fields.map(({ key }: { key: string }) => key), ["company"]);
});

Deno.test("a field that becomes required is required of new users only", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const { project } = owner;
  const user = await signUp(project);
  ok(await owner.asOwner(callOf([{ key: "company", type: "String", required: true }])));
  assert.equal(ok(await project.asPublic({ path: "/api/userAuth/me" }, user)).company, null);
  const patch = { method: "PATCH", path: "/api/userAuth/me", body: { name: "Ada" } };
  ok(await project.asPublic(patch, user));
  const call = { path: "/api/userAuth/signup", body: { email: "bob@example.com" } };
  const body = { ...call.body, password: "seven wet stones 41" };
  refused(await project.asPublic({ ...call, body }), 400, "INVALID_BODY", "company");
});

Deno.test("of 20 concurrent calls one is stored completely", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const answers = await Promise.all(times(20, (i) => {
    const keys = [`a${i}`, `b${i}`];
    return owner.asOwner(callOf(keys.map((key) => ({ key, type: "String" }))));
  }));
  for (const answer of answers) ok(answer);
  const { fields } = ok(await owner.asOwner({ path: "/users/fields" }));
  const [one, two] = fields.map(({ key }: { key: string }) => key);
  assert.equal(one.slice(1), two.slice(1));
});

Deno.test("only admins and the owner set user fields", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await owner.isForAdmins(callOf([]));
});

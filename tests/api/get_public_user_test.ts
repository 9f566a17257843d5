import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";
import { declareFields, signUp } from "./user_email.ts";

const call = (username: string) => ({ path: `/api/userAuth/public/${username}` });

Deno.test("getPublicUser returns the public profile and the declared public fields", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await declareFields(
    app,
    project,
    { key: "company", type: "String", public: true },
    { key: "motto", type: "String", public: true },
    { key: "phone", type: "String" },
  );
  const input = { username: "Ada.L", name: "Ada", company: "Engines", phone: "+44 1815" };
  const { id } = await signUp(project, input);
  const answer = await project.asPublic(call("ada.l"));
  assert.deepEqual(ok(answer), {
    _id: id,
    username: "Ada.L",
    name: "Ada",
    avatarUrl: null,
    createdAt: "2026-01-31T12:00:00.000Z",
    company: "Engines",
    motto: null,
  });
  assert.equal(answer.body.message, "User found");
  assert.deepEqual(ok(await project.asSecret(call("ADA.L"))), ok(answer));
});

Deno.test("getPublicUser omits a field that is no longer declared public", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await declareFields(app, project, { key: "company", type: "String", public: true });
  await signUp(project, { username: "ada", company: "Engines" });
  assert.equal(ok(await project.asPublic(call("ada"))).company, "Engines");
  await declareFields(app, project, { key: "company", type: "String" });
  assert.ok(!("company" in ok(await project.asPublic(call("ada")))));
});

Deno.test("getPublicUser returns one 404 for unknown, foreign, disabled and former usernames", async () => {
  await using app = await openTestApp();
  const [project, other] = [await app.project(), await app.project()];
  await signUp(other, { username: "elsewhere" });
  const disabled = await signUp(project, { username: "disabled" });
  const renamed = await signUp(project, { username: "former" });
  const patch = (id: string, body: unknown) =>
    project.asSecret({ method: "PATCH", path: `/api/userAuth/users/${id}`, body });
  ok(await patch(disabled.id, { disabled: true }));
  ok(await patch(renamed.id, { username: "latter" }));
  const texts = new Set<string>();
  for (const name of ["nobody", "elsewhere", "disabled", "former"]) {
    const answer = await project.asPublic(call(name));
    refused(answer, 404, "USER_NOT_FOUND");
    texts.add(answer.text);
  }
  assert.equal(texts.size, 1);
  ok(await project.asPublic(call("latter")));
});

Deno.test("getPublicUser returns 404 for an invalid username", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  for (const name of ["ab", "a".repeat(51), "a%20b", "ad%C3%A1", "null"]) {
    refused(await project.asPublic(call(name)), 404, "USER_NOT_FOUND");
  }
});

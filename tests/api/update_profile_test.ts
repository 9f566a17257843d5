import assert from "node:assert/strict";
import { faults, testUnless } from "../support/server_faults.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import {
  ADA,
  assertTraceless,
  declareFields,
  signUp,
  storedUsers,
  userCall,
} from "./user_email.ts";

const callOf = (body: unknown) => ({ ...userCall("update-profile", body), method: "PUT" });

Deno.test("update-profile changes what PATCH /me does, with the message in the data", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await declareFields(app, project, { key: "company", type: "String" });
  const user = await signUp(project, { email: ADA, name: "Ada", username: "ada" });
  app.clock.advance(1000);
  const answer = await project.asPublic(callOf({ username: "Ada.L", company: "Engines" }), user);
  const { message, ...data } = ok(answer);
  assert.deepEqual([message, answer.body.message], ["User changed", "User changed"]);
  const { name, username, company, updatedAt } = data;
  assert.deepEqual(
    [name, username, company, updatedAt],
    ["Ada", "Ada.L", "Engines", "2026-01-31T12:00:01.000Z"],
  );
  assert.deepEqual(ok(await project.asPublic({ path: "/api/userAuth/me" }, user)), data);
});

Deno.test("update-profile with a taken username is 409 in any letter case", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { username: "Ada" });
  const user = await signUp(project);
  await assertTraceless(app, project, async () => {
    refused(await project.asPublic(callOf({ username: "aDA" }), user), 409, "USERNAME_TAKEN");
  });
});

testUnless(
  faults.sharesUnique,
  "update-profile: of 20 users who set one username concurrently one gets it",
  async () => {
    await using app = await openTestApp();
    const project = await app.project();
    const users = await Promise.all(times(20, () => project.user()));
    const answers = await Promise.all(users.map((user, i) => {
      const username = i % 2 === 0 ? "ada" : "ADA";
      return project.asPublic(callOf({ username }), user);
    }));
    assert.deepEqual(tally(answers), { 200: 1, 409: 19 });
    const named = (await storedUsers(app, project)).filter(({ username }) => username !== null);
    assert.equal(named.length, 1);
  },
);

Deno.test("update-profile refuses members that users cannot set, and invalid values", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await declareFields(app, project, { key: "company", type: "String", required: true });
  const user = await signUp(project, { company: "Engines" });
  await assertTraceless(app, project, async () => {
    for (
      const [body, says] of [
        [{}, "Send name, username, avatarUrl"],
        [{ email: "eve@example.com" }, "email"],
        [{ roles: ["admin"] }, "roles"],
        [{ company: null }, "company"],
        [{ company: 5 }, "company"],
        [{ username: "a b" }, "username"],
      ] as const
    ) {
      refused(await project.asPublic(callOf(body), user), 400, "INVALID_BODY", says);
    }
  });
});

Deno.test("update-profile without an access token is 401, with the secret key 403", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  refused(await project.asPublic(callOf({ name: "Eve" })), 401, "ACCESS_TOKEN_REQUIRED");
  refused(await project.asSecret(callOf({ name: "Eve" })), 403, "PUBLISHABLE_KEY_REQUIRED");
});

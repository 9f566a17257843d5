import assert from "node:assert/strict";
import { createApp } from "@/routes/app.ts";
import { Problem } from "@/lib/problems.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestOwner } from "./test_owner.ts";
import { ok, refused } from "./test_collection.ts";
import { ADA, logIn, PASSWORD, setAuth, traceless } from "./user_email.ts";

const callOf = (body: unknown) => ({ method: "POST", path: "/users", body });

Deno.test("an owner and an admin make users as the secret key does, also while sign-up is closed", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  await setAuth(app, owner.project, { signUp: "closed" });
  const body = { email: ADA, password: PASSWORD, emailVerified: true, roles: ["editor"] };
  const made = ok(await owner.asOwner(callOf(body)), 201);
  assert.deepEqual([made.email, made.roles, made.disabled], [ADA, ["editor"], false]);
  assert.equal(ok(await logIn(owner.project, ADA)).userId, made._id);
  ok(await owner.as("admin", callOf({ username: "bob" })), 201);
});

Deno.test("what is taken or does not fit is refused, and makes nobody", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  ok(await owner.asOwner(callOf({ email: ADA, username: "ada" })), 201);
  await traceless(app, owner.project, async () => {
    refused(await owner.asOwner(callOf({ email: "ADA@example.com" })), 409, "EMAIL_TAKEN");
    refused(await owner.asOwner(callOf({ username: "Ada" })), 409, "USERNAME_TAKEN");
    refused(await owner.asOwner(callOf({ email: "ada" })), 400, "INVALID_BODY", "email");
    refused(await owner.asOwner(callOf({ password: "short" })), 400, "INVALID_PASSWORD");
    await owner.isForAdmins(callOf({ email: "bob@example.com" }));
  });
});

Deno.test("while too many passwords are hashed an owner's new user is refused with 503", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const full = { run: () => Promise.reject(new Problem("PASSWORDS_BUSY", { retryAfter: 2 })) };
  const served = createApp({ ...app.services, passwordQueue: full });
  await traceless(app, owner.project, async () => {
    const answer = await send(served, {
      ...callOf({ email: ADA, password: PASSWORD }),
      path: `/api/projects/${owner.projectId}/users`,
      headers: { cookie: owner.account.cookie },
    });
    refused(answer, 503, "PASSWORDS_BUSY");
    assert.equal(answer.headers.get("retry-after"), "2");
  });
});

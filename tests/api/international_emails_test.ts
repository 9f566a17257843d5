import assert from "node:assert/strict";
import { type UserRecord, USERS } from "@/lib/auth/users.ts";
import { createUser } from "@/lib/auth/create_user.ts";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { eq } from "@/lib/store/filter.ts";
import { openAccount, PASSWORD as ACCOUNT_PASSWORD } from "../support/dashboard.ts";
import { verifiedEmail } from "../support/github_fake.ts";
import { codeTo } from "../support/mailbox.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { accept, inviteCall } from "./invitations.ts";
import { openSignInFixture } from "./sign_in_fixture.ts";
import { openTeam } from "./team.ts";
import { ok, refused } from "./test_collection.ts";
import {
  HEADER_MODE,
  logIn,
  MINUTE_MS,
  NEXT_PASSWORD,
  PASSWORD,
  signUp,
  storedUser,
  storedUsers,
  userCall,
} from "./user_email.ts";

/** Spellings of one address: Unicode, Punycode, upper case, and surrounded by white space. */
const UNICODE = "ada@bücher.example";
const ASCII = "ada@xn--bcher-kva.example";
const SPELLINGS = [UNICODE, ASCII, "ADA@BÜCHER.EXAMPLE", ` ${UNICODE} `, `\t${ASCII}\n`];

for (const signedUpAs of [UNICODE, ASCII]) {
  Deno.test(`a user who signed up as ${signedUpAs} signs in with every spelling`, async () => {
    await using app = await openTestApp();
    const project = await app.project();
    const { id } = await signUp(project, { email: signedUpAs });
    for (const email of SPELLINGS) {
      assert.equal(ok(await logIn(project, email)).userId, id, email);
      const again = userCall("signup", { email, password: PASSWORD });
      refused(await project.asPublic(again), 409, "EMAIL_TAKEN");
      const body = { email };
      refused(
        await project.asSecret({ path: "/api/userAuth/users", body }),
        409,
        "EMAIL_TAKEN",
      );
      await assert.rejects(
        createUser(app.services, project.projectId, { email, verified: false }),
        { code: "EMAIL_TAKEN" },
      );
      const path = `/api/userAuth/users?${new URLSearchParams({ email })}`;
      const { items } = ok(await project.asSecret({ path }));
      assert.deepEqual(items.map(({ _id }: { _id: string }) => _id), [id], email);
    }
    assert.equal((await storedUsers(app, project)).length, 1);
  });
}

Deno.test("a code that was requested with one spelling is valid with the other", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { id } = await signUp(project, { email: UNICODE });
  const requestCode = async (operation: string, email: string) => {
    await app.services.jobRunner.idle();
    app.clock.advance(MINUTE_MS);
    ok(await project.asPublic(userCall(operation, { email })));
    return await codeTo(app.services, project.projectId, UNICODE);
  };
  const code = await requestCode("code/request", ASCII);
  const verifying = userCall("code/verify", { email: UNICODE, otp: code }, HEADER_MODE);
  assert.equal(ok(await project.asPublic(verifying)).userId, id);
  const otp = await requestCode("request-password-reset", ASCII);
  const reset = { email: ` ${ASCII} `, otp, newPassword: NEXT_PASSWORD };
  ok(await project.asPublic(userCall("reset-password", reset)));
  assert.equal(ok(await logIn(project, UNICODE, NEXT_PASSWORD)).userId, id);
});

Deno.test("signUp, updateUser and register store an address without surrounding white space", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { id } = await signUp(project, { email: " bob@example.com\n" });
  assert.equal((await storedUser(app, project, id)).email, "bob@example.com");
  const change = { method: "PATCH", path: `/api/userAuth/users/${id}` };
  ok(await project.asSecret({ ...change, body: { email: "\tbobby@example.com " } }));
  assert.equal((await storedUser(app, project, id)).email, "bobby@example.com");
  const account = await openAccount(app, { email: "  eve@example.com " });
  assert.equal(ok(await account.send({ path: "/api/auth/me" })).email, "eve@example.com");
});

Deno.test("an owner registers, signs in, resets and is invited with either spelling", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { email: UNICODE });
  const post = (operation: string, body: unknown) =>
    app.send({ path: `/api/auth/${operation}`, body });
  for (const email of SPELLINGS) {
    ok(await post("login", { email, password: ACCOUNT_PASSWORD }));
    const again = await post("register", { email, password: ACCOUNT_PASSWORD });
    refused(again, 409, "ACCOUNT_EXISTS");
  }
  app.clock.advance(MINUTE_MS);
  ok(await post("request-password-reset", { email: ASCII }));
  const otp = await codeTo(app.services, "control", UNICODE);
  ok(await post("reset-password", { email: ASCII, otp, newPassword: NEXT_PASSWORD }));
  const team = await openTeam(app);
  const { token } = ok(await team.owner.send(inviteCall(team, ` ${ASCII}`)), 201);
  const signedIn = await post("login", { email: ASCII, password: NEXT_PASSWORD });
  const cookie = signedIn.headers.getSetCookie()
    .find((one) => one.startsWith("corbel_session="))!.split(";")[0]!;
  const ada = {
    ...account,
    send: (call: Parameters<TestApp["send"]>[0]) =>
      app.send({ ...call, headers: [["cookie", cookie], ...new Headers(call.headers)] }),
  };
  ok(await accept(ada, token));
  refused(await team.owner.send(inviteCall(team, UNICODE)), 409, "MEMBER_EXISTS");
});

Deno.test("a sign-in by a provider with the other spelling links to the user", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const { id } = await signUp(project, { email: UNICODE });
  fixture.github.join({ login: "ada", id: 9, emails: verifiedEmail(ASCII) });
  const { parameters } = await fixture.browser().signIn(project, "github", "ada");
  assert.deepEqual([parameters.userId, parameters.linkedByEmail], [id, "true"]);
});

Deno.test("users and accounts of earlier versions, stored in Unicode, sign in with either spelling", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { engine } = app.services;
  const earlier = { set: { emailLower: UNICODE } };
  const { id } = await signUp(project, { email: UNICODE });
  await engine.records<UserRecord>(project.projectId, USERS).updateOne(eq("_id", id), earlier);
  const account = await openAccount(app, { email: UNICODE });
  await engine.records<AccountRecord>("control", ACCOUNTS)
    .updateOne(eq("_id", account.accountId), earlier);
  for (const email of SPELLINGS) {
    assert.equal(ok(await logIn(project, email)).userId, id, email);
    const body = { email, password: PASSWORD };
    refused(await project.asPublic(userCall("signup", body)), 409, "EMAIL_TAKEN");
    refused(await project.asSecret({ path: "/api/userAuth/users", body }), 409, "EMAIL_TAKEN");
    ok(await app.send({ path: "/api/auth/login", body: { email, password: ACCOUNT_PASSWORD } }));
    const registering = { email, password: ACCOUNT_PASSWORD };
    const answer = await app.send({ path: "/api/auth/register", body: registering });
    refused(answer, 409, "ACCOUNT_EXISTS");
  }
  // Another user cannot change to the address either.
  const bob = await signUp(project, { email: "bob@example.com" });
  const change = { method: "PATCH", path: `/api/userAuth/users/${bob.id}`, body: { email: ASCII } };
  refused(await project.asSecret(change), 409, "EMAIL_TAKEN");
});

Deno.test("two users of earlier versions with one spelling each sign in with their own", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const users = app.services.engine.records<UserRecord>(project.projectId, USERS);
  const one = await signUp(project, { email: UNICODE });
  await users.updateOne(eq("_id", one.id), { set: { emailLower: UNICODE } });
  const two = await signUp(project, { email: "two@example.com", password: NEXT_PASSWORD });
  await users.updateOne(eq("_id", two.id), { set: { email: ASCII, emailLower: ASCII } });
  assert.equal(ok(await logIn(project, UNICODE)).userId, one.id);
  assert.equal(ok(await logIn(project, ASCII, NEXT_PASSWORD)).userId, two.id);
});

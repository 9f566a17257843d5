import assert from "node:assert/strict";
import { issueExchangeCode } from "@/lib/auth/exchange_codes.ts";
import { SESSIONS } from "@/lib/auth/sessions.ts";
import { type UserRecord, USERS } from "@/lib/auth/users.ts";
import { CODES } from "@/lib/credentials/codes.ts";
import { eq } from "@/lib/store/filter.ts";
import { verifiedEmail } from "../support/github_fake.ts";
import { codeTo } from "../support/mailbox.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { exchangeCall, refresh } from "../api/signed_in.ts";
import { assertFailedWith, openSignInFixture } from "../api/sign_in_fixture.ts";
import { ok, refused } from "../api/test_collection.ts";
import {
  ADA,
  assertTraceless,
  authProject,
  claimsOf,
  CODE_REQUESTS,
  countOf,
  type EmailUser,
  logIn,
  MINUTE_MS,
  NEXT_PASSWORD,
  PASSWORD,
  requestCode,
  sentMails,
  signUp,
  storedUsers,
  userCall,
} from "../api/user_email.ts";
import { createGuest, patchUser } from "./user_fixture.ts";

/** Attempts of a disabled user to sign in by less common ways. */

async function waysIn(app: TestApp, project: TestProject, user: EmailUser) {
  const { services } = app;
  const { projectId } = project;
  const { sid } = claimsOf(user.token);
  const rtCode = await services.engine.transaction(
    projectId,
    (tx) =>
      issueExchangeCode(tx, services, { sessionId: sid, userId: user.id, accessToken: user.token }),
  );
  const codes = [
    await codeTo(services, projectId, ADA),
    await requestCode(app, project, "code/request", ADA),
    await requestCode(app, project, "request-password-reset", ADA),
  ] as const;
  const change = { newEmail: "ada@example.org", password: PASSWORD };
  ok(await project.asPublic(userCall("change-email", change), user));
  const change2 = await codeTo(services, projectId, "ada@example.org");
  return [
    ["a password", () => logIn(project, ADA), 401],
    [
      "a code of before",
      () => project.asPublic(userCall("code/verify", { email: ADA, otp: codes[1] })),
      400,
    ],
    [
      "a verification",
      () => project.asPublic(userCall("verify-email", { email: ADA, otp: codes[0] })),
      400,
    ],
    ["a reset", () => {
      const body = { email: ADA, otp: codes[2], newPassword: NEXT_PASSWORD };
      return project.asPublic(userCall("reset-password", body));
    }, 400],
    ["a refresh token", () => refresh(project, user.refreshToken), 401],
    ["an exchange code", () => project.asPublic(exchangeCall({ rtCode, token: user.token })), 400],
    ["an access token", () => project.asPublic({ path: "/api/userAuth/me" }, user), 401],
    [
      "a change of the address",
      () => project.asPublic(userCall("confirm-email-change", { otp: change2 }), user),
      401,
    ],
    ["a change of the password", () => {
      const body = { currentPassword: PASSWORD, newPassword: NEXT_PASSWORD };
      return project.asPublic({ ...userCall("change-password", body), method: "PUT" }, user);
    }, 401],
    [
      "a sign-up",
      () => project.asPublic(userCall("signup", { email: ADA, password: NEXT_PASSWORD })),
      409,
    ],
    [
      "a sign-up as a guest",
      () =>
        project.asPublic(userCall("signup", { email: "x@example.com", password: PASSWORD }), user),
      401,
    ],
  ] as const;
}

Deno.test("a disabled user cannot sign in with any credentials, and receives no mail", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  const ways = await waysIn(app, project, user);
  ok(await patchUser(project, user.id, { disabled: true }));
  await app.services.jobRunner.idle();
  app.clock.advance(2 * MINUTE_MS);
  const before = [await storedUsers(app, project), await countOf(app, project, SESSIONS)];
  const sent = (await sentMails(app, project)).length;
  for (const [way, attempt, status] of ways) {
    const answer = await attempt();
    assert.equal(answer.status, status, `${way}: ${answer.text}`);
  }
  for (const operation of CODE_REQUESTS) {
    ok(await project.asPublic(userCall(operation, { email: ADA })));
  }
  assert.equal((await sentMails(app, project)).length, sent);
  assert.deepEqual(
    [await storedUsers(app, project), await countOf(app, project, SESSIONS)],
    before,
  );
});

Deno.test("a disabled guest cannot sign up as another user", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { anonymous: true });
  const guest = await createGuest(project);
  ok(await patchUser(project, guest.id, { disabled: true }));
  await assertTraceless(app, project, async () => {
    const call = userCall("signup", { email: ADA, password: PASSWORD });
    refused(await project.asPublic(call, guest), 401, "ACCESS_TOKEN_INVALID");
  });
});

Deno.test("a disabled user with a valid code of any purpose cannot sign in", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { id, email } = await signUp(project, { email: ADA });
  const { services } = app;
  const calls = [
    userCall("verify-email", { email, otp: await codeTo(services, project.projectId, ADA) }),
    userCall("reset-password", {
      email,
      otp: await requestCode(app, project, "request-password-reset", ADA),
      newPassword: NEXT_PASSWORD,
    }),
    userCall("code/verify", { email, otp: await requestCode(app, project, "code/request", ADA) }),
  ];
  // Simulates a code sent at the moment of disabling. Later, codes are deleted.
  await services.engine.records<UserRecord>(project.projectId, USERS)
    .updateOne(eq("_id", id), { set: { disabled: true } });
  await assertTraceless(app, project, async () => {
    for (const call of calls) refused(await project.asPublic(call), 400, "INVALID_CODE");
    refused(await logIn(project, ADA), 401, "INVALID_CREDENTIALS");
  }, [CODES]);
});

Deno.test("a disabled user cannot sign in by a provider, linked or with the same address", async () => {
  await using fixture = await openSignInFixture();
  const { app, github, google } = fixture;
  const project = await fixture.project();
  github.join({ login: "ada", id: 7, name: "Ada", emails: verifiedEmail(ADA) });
  google.join("ada", { sub: "sub-7", email: ADA, emailVerified: true, name: "Ada" });
  const { parameters } = await fixture.browser().signIn(project, "github", "ada");
  ok(await patchUser(project, parameters.userId!, { password: PASSWORD }));
  ok(await logIn(project, ADA));
  ok(await patchUser(project, parameters.userId!, { disabled: true }));
  await assertTraceless(app, project, async () => {
    for (const provider of ["github", "google"] as const) {
      const arrival = await fixture.browser().signIn(project, provider, "ada");
      assertFailedWith(arrival, "This account is disabled");
    }
    refused(await logIn(project, ADA), 401, "INVALID_CREDENTIALS");
  });
});

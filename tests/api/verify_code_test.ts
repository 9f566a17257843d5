import assert from "node:assert/strict";
import { CODES } from "@/lib/credentials/codes.ts";
import { openTestApp } from "../support/test_app.ts";
import { codeTo } from "../support/mailbox.ts";
import { cookieOf, isSignedIn, refresh, SITE } from "./signed_in.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import {
  ADA,
  assertTraceless,
  authProject,
  claimsOf,
  declareFields,
  HEADER_MODE,
  logIn,
  MINUTE_MS,
  requestCode,
  setAuth,
  signUp,
  storedUser,
  storedUsers,
  userCall,
  userOf,
  wrongCode,
} from "./user_email.ts";

const verify = (
  otp: unknown,
  email: unknown = ADA,
  headers: Record<string, string> = HEADER_MODE,
) => userCall("code/verify", { email, otp }, headers);

const ASK = "code/request";

Deno.test("code/verify creates a user with a verified address, field defaults and a session", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await declareFields(
    app,
    project,
    { key: "company", type: "String", required: true },
    { key: "newsletter", type: "Boolean", default: true },
  );
  const otp = await requestCode(app, project, ASK, ADA);
  const answer = await project.asPublic(verify(otp));
  const user = userOf(answer);
  const { email, emailVerified, isAnonymous, name, username, company, newsletter } =
    ok(answer).user;
  assert.deepEqual(
    [email, emailVerified, isAnonymous, name, username, company, newsletter],
    [ADA, true, false, null, null, null, true],
  );
  assert.equal(answer.body.message, "Signed in");
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.ok(await isSignedIn(project, user));
  ok(await refresh(project, user.refreshToken));
  assert.equal((await storedUser(app, project, user.id)).passwordHash, null);
});

Deno.test("code/verify signs a user in again, with their roles in the token, and ends no session", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: SITE });
  const first = userOf(await project.asPublic(verify(await requestCode(app, project, ASK, ADA))));
  const path = `/api/userAuth/users/${first.id}`;
  ok(await project.asSecret({ method: "PATCH", path, body: { roles: ["editor"] } }));
  const otp = await requestCode(app, project, ASK, ADA);
  const answer = await project.asPublic(verify(otp, "ADA@example.com", { origin: SITE }));
  const { userId, accessToken, refreshToken } = ok(answer);
  assert.deepEqual([userId, refreshToken], [first.id, undefined]);
  assert.match(cookieOf(answer)!.pair, new RegExp(`^corbel_rt_${project.projectId}=`));
  assert.deepEqual(claimsOf(accessToken).roles, ["editor"]);
  assert.ok(await isSignedIn(project, first));
  assert.equal((await storedUsers(app, project)).length, 1);
});

Deno.test("code/verify verifies a signed-up user's address and ends former password and sessions", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const before = await signUp(project, { email: ADA });
  const reset = await requestCode(app, project, "request-password-reset", ADA);
  const user = userOf(await project.asPublic(verify(await requestCode(app, project, ASK, ADA))));
  assert.equal(user.id, before.id);
  assert.equal(await isSignedIn(project, before), false);
  refused(await refresh(project, before.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  refused(await logIn(project, ADA), 401, "INVALID_CREDENTIALS");
  const call = userCall("reset-password", { email: ADA, otp: reset, newPassword: "a new one 77" });
  refused(await project.asPublic(call), 400, "INVALID_CODE");
  const { emailVerified, passwordHash } = await storedUser(app, project, user.id);
  assert.deepEqual([emailVerified, passwordHash], [true, null]);
});

Deno.test("code/verify keeps password and sessions of a user whose address was verified", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const before = await signUp(project, { email: ADA });
  const otp = await codeTo(app.services, project.projectId, ADA);
  ok(await project.asPublic(userCall("verify-email", { email: ADA, otp }), before));
  ok(await project.asPublic(verify(await requestCode(app, project, ASK, ADA))));
  assert.ok(await isSignedIn(project, before));
  ok(await logIn(project, ADA));
});

Deno.test("code/verify refuses all invalid codes alike", async () => {
  await using app = await openTestApp();
  const [project, other] = [await app.project(), await app.project()];
  await signUp(project, { email: ADA });
  const replaced = await requestCode(app, project, ASK, ADA);
  const reset = await requestCode(app, project, "request-password-reset", ADA);
  const foreign = await requestCode(app, other, ASK, ADA);
  const otp = await requestCode(app, project, ASK, ADA);
  const texts = new Set<string>();
  const assertInvalidCode = async (otp: string, email = ADA) => {
    const answer = await project.asPublic(verify(otp, email));
    refused(answer, 400, "INVALID_CODE");
    assert.equal(cookieOf(answer), null);
    texts.add(answer.text);
  };
  await assertTraceless(app, project, async () => {
    for (const one of [replaced, reset, foreign]) if (one !== otp) await assertInvalidCode(one);
    await assertInvalidCode(otp, "nobody@example.com");
  }, [CODES]);
  ok(await project.asPublic(verify(otp)));
  await assertInvalidCode(otp);
  const late = await requestCode(app, project, ASK, ADA);
  app.clock.advance(10 * MINUTE_MS);
  await assertInvalidCode(late);
  assert.equal(texts.size, 1);
});

Deno.test("code/verify: after five wrong attempts the right code is refused, and no user is created", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const otp = await requestCode(app, project, ASK, ADA);
  const wrong = times(5, () => project.asPublic(verify(wrongCode(otp))));
  assert.deepEqual(tally(await Promise.all(wrong)), { 400: 5 });
  refused(await project.asPublic(verify(otp)), 400, "INVALID_CODE");
  assert.deepEqual(await storedUsers(app, project), []);
});

Deno.test("code/verify: of 50 concurrent uses of one code one succeeds, and one user is created", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const otp = await requestCode(app, project, ASK, ADA);
  const answers = await Promise.all(times(50, () => project.asPublic(verify(otp))));
  assert.deepEqual(tally(answers), { 200: 1, 400: 49 });
  assert.equal((await storedUsers(app, project)).length, 1);
});

Deno.test("code/verify creates no user while sign-up is closed, even with an earlier code", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const otp = await requestCode(app, project, ASK, ADA);
  await setAuth(app, project, { signUp: "closed" });
  await assertTraceless(app, project, async () => {
    refused(await project.asPublic(verify(otp)), 400, "INVALID_CODE");
  }, [CODES]);
  await setAuth(app, project, { signUp: "open" });
  ok(await project.asPublic(verify(otp)));
});

Deno.test("code/verify opens no session for a disabled user or where codes are off", async () => {
  await using app = await openTestApp();
  const project = await authProject(app);
  const { id } = await signUp(project, { email: ADA });
  const otp = await requestCode(app, project, ASK, ADA);
  const path = `/api/userAuth/users/${id}`;
  ok(await project.asSecret({ method: "PATCH", path, body: { disabled: true } }));
  await assertTraceless(app, project, async () => {
    refused(await project.asPublic(verify(otp)), 400, "INVALID_CODE");
  }, [CODES]);
  await setAuth(app, project, { emailCode: false });
  await assertTraceless(app, project, async () => {
    refused(await project.asPublic(verify(otp)), 403, "SIGN_IN_METHOD_OFF");
  });
});

Deno.test("code/verify and a concurrent sign-up give an address to one user", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  for (let round = 0; round < 5; round++) {
    const email = `${round}@example.com`;
    const otp = await requestCode(app, project, ASK, email);
    const body = { email, password: "seven wet stones 41" };
    const [entered, signedUp] = await Promise.all([
      project.asPublic(verify(otp, email)),
      project.asPublic(userCall("signup", body)),
    ]);
    // The later call finds the other's user: as EMAIL_TAKEN, or as the user that the code signs in.
    if (entered.status !== 200) refused(entered, 409, "EMAIL_TAKEN");
    if (signedUp.status !== 201) refused(signedUp, 409, "EMAIL_TAKEN");
    assert.ok(entered.status === 200 || signedUp.status === 201);
    assert.equal((await storedUsers(app, project)).length, round + 1);
  }
});

Deno.test("code/verify refuses bodies of another shape, which use up no attempt", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const otp = await requestCode(app, project, ASK, ADA);
  await assertTraceless(app, project, async () => {
    for (
      const [body, says] of [
        [{ email: ADA }, "otp"],
        [{ otp }, "email"],
        [{ email: ADA, otp: { $gt: "" } }, "otp"],
        [{ email: ADA, otp, roles: ["admin"] }, "only email, otp"],
      ] as const
    ) {
      refused(await project.asPublic(userCall("code/verify", body)), 400, "INVALID_BODY", says);
    }
  });
  ok(await project.asPublic(verify(otp)));
});

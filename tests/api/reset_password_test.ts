import assert from "node:assert/strict";
import { CODES } from "@/lib/credentials/codes.ts";
import { openTestApp } from "../support/test_app.ts";
import { whileBusy } from "./passwords_full.ts";
import { isSignedIn, refresh } from "./signed_in.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import {
  ADA,
  assertTraceless,
  countOf,
  logIn,
  MINUTE_MS,
  NEXT_PASSWORD,
  PASSWORD,
  requestCode,
  setAuth,
  signUp,
  storedUser,
  userCall,
  userOf,
  wrongCode,
} from "./user_email.ts";

const reset = (otp: unknown, newPassword: unknown = NEXT_PASSWORD, email: unknown = ADA) =>
  userCall("reset-password", { email, otp, newPassword });

const ASK = "request-password-reset";

Deno.test("reset-password sets the password, verifies the address, and ends sessions and other codes", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const first = await signUp(project, { email: ADA });
  const second = userOf(await logIn(project, ADA));
  const bob = await signUp(project);
  const otherCode = await requestCode(app, project, "code/request", ADA);
  const otp = await requestCode(app, project, ASK, ADA);
  const answer = await project.asPublic(reset(otp, NEXT_PASSWORD, "ADA@example.com"));
  const message = "Password reset";
  assert.deepEqual(answer.body, { success: true, data: { message }, message });
  for (const one of [first, second]) {
    assert.equal(await isSignedIn(project, one), false);
    refused(await refresh(project, one.refreshToken), 401, "REFRESH_TOKEN_INVALID");
  }
  assert.ok(await isSignedIn(project, bob));
  const byCode = userCall("code/verify", { email: ADA, otp: otherCode });
  refused(await project.asPublic(byCode), 400, "INVALID_CODE");
  refused(await logIn(project, ADA, PASSWORD), 401, "INVALID_CREDENTIALS");
  const data = ok(await logIn(project, ADA, NEXT_PASSWORD));
  assert.deepEqual([data.userId, data.user.emailVerified], [first.id, true]);
});

Deno.test("reset-password sets a user's first password", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const body = { email: ADA, emailVerified: true };
  ok(await project.asSecret({ path: "/api/userAuth/users", body }), 201);
  ok(await project.asPublic(reset(await requestCode(app, project, ASK, ADA))));
  ok(await logIn(project, ADA, NEXT_PASSWORD));
});

Deno.test("reset-password: a refused password uses up no attempt and leaves no trace", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  const otp = await requestCode(app, project, ASK, ADA);
  await assertTraceless(app, project, async () => {
    for (const password of ["short", "x".repeat(201), "password1", ADA]) {
      for (let i = 0; i < 2; i++) {
        refused(await project.asPublic(reset(otp, password)), 400, "INVALID_PASSWORD");
      }
    }
    refused(await project.asPublic(reset(otp, "")), 400, "INVALID_BODY", "newPassword");
    refused(await project.asPublic(reset("")), 400, "INVALID_BODY", "otp");
    refused(await project.asPublic(reset(otp, NEXT_PASSWORD, null)), 400, "INVALID_BODY", "email");
  });
  await setAuth(app, project, { passwordLengthMin: 30 });
  refused(await project.asPublic(reset(otp)), 400, "INVALID_PASSWORD", "30 to 200");
  await setAuth(app, project, { passwordLengthMin: 8 });
  ok(await project.asPublic(reset(otp)));
});

Deno.test("reset-password refuses all invalid codes alike", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { id } = await signUp(project, { email: ADA });
  await signUp(project, { email: "bob@example.com" });
  const texts = new Set<string>();
  const assertInvalidCode = async (otp: string, email = ADA) => {
    const answer = await project.asPublic(reset(otp, NEXT_PASSWORD, email));
    refused(answer, 400, "INVALID_CODE");
    texts.add(answer.text);
  };
  const replaced = await requestCode(app, project, ASK, ADA);
  const forSignIn = await requestCode(app, project, "code/request", ADA);
  const bobs = await requestCode(app, project, ASK, "bob@example.com");
  const otp = await requestCode(app, project, ASK, ADA);
  const before = await storedUser(app, project, id);
  await assertTraceless(app, project, async () => {
    for (const other of [replaced, forSignIn, bobs]) {
      if (other !== otp) await assertInvalidCode(other);
    }
    await assertInvalidCode(otp, "nobody@example.com");
    await assertInvalidCode(otp, "bob@example.com");
  }, [CODES]);
  assert.deepEqual(await storedUser(app, project, id), before);
  ok(await project.asPublic(reset(otp)));
  await assertInvalidCode(otp);
  const late = await requestCode(app, project, ASK, ADA);
  app.clock.advance(10 * MINUTE_MS);
  await assertInvalidCode(late);
  assert.equal(texts.size, 1);
});

Deno.test("reset-password: after five wrong attempts the right code is refused", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  const otp = await requestCode(app, project, ASK, ADA);
  for (let i = 0; i < 5; i++) {
    refused(await project.asPublic(reset(wrongCode(otp))), 400, "INVALID_CODE");
  }
  refused(await project.asPublic(reset(otp)), 400, "INVALID_CODE");
  ok(await logIn(project, ADA));
});

Deno.test("reset-password: of 50 concurrent calls with one code one succeeds", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  const otp = await requestCode(app, project, ASK, ADA);
  const answers = await Promise.all(times(50, (i) => {
    const call = reset(otp, `${NEXT_PASSWORD} ${i}`);
    return project.asPublic({ ...call, peer: `203.0.${i}.7` });
  }));
  assert.deepEqual(tally(answers), { 200: 1, 400: 49 });
  const winner = answers.findIndex(({ status }) => status === 200);
  ok(await logIn(project, ADA, `${NEXT_PASSWORD} ${winner}`));
});

Deno.test("reset-password refuses the code of a user who was disabled or deleted after it was sent", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const [off, gone] = [
    await signUp(project, { email: ADA }),
    await signUp(project, { email: "bob@example.com" }),
  ];
  const offs = await requestCode(app, project, ASK, ADA);
  const gones = await requestCode(app, project, ASK, "bob@example.com");
  const path = (id: string) => `/api/userAuth/users/${id}`;
  const disabling = { method: "PATCH", path: path(off.id), body: { disabled: true } };
  ok(await project.asSecret(disabling));
  ok(await project.asSecret({ method: "DELETE", path: path(gone.id) }));
  await assertTraceless(app, project, async () => {
    refused(await project.asPublic(reset(offs)), 400, "INVALID_CODE");
    const call = reset(gones, NEXT_PASSWORD, "bob@example.com");
    refused(await project.asPublic(call), 400, "INVALID_CODE");
  }, [CODES]);
  await signUp(project, { email: "bob@example.com" });
  const call = reset(gones, NEXT_PASSWORD, "bob@example.com");
  refused(await project.asPublic(call), 400, "INVALID_CODE");
});

Deno.test("reset-password is 403 where passwords are off, and 503 while the queue is full", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  const otp = await requestCode(app, project, ASK, ADA);
  await setAuth(app, project, { password: false });
  await assertTraceless(app, project, async () => {
    refused(await project.asPublic(reset(otp)), 403, "SIGN_IN_METHOD_OFF");
  });
  await setAuth(app, project, { password: true });
  await assertTraceless(app, project, async () => {
    const answer = await whileBusy(app, project, reset(otp));
    refused(answer, 503, "PASSWORDS_BUSY");
    assert.equal(answer.headers.get("retry-after"), "2");
  }, [CODES]);
  ok(await project.asPublic(reset(otp)));
  assert.equal(await countOf(app, project, CODES), 0);
});

import assert from "node:assert/strict";
import { CODES } from "@/lib/credentials/codes.ts";
import { ALL } from "@/lib/store/filter.ts";
import { openTestApp } from "../support/test_app.ts";
import { codeTo } from "../support/mailbox.ts";
import { isSignedIn } from "./signed_in.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import {
  ADA,
  assertTraceless,
  countOf,
  MINUTE_MS,
  requestCode,
  signUp,
  storedUser,
  userCall,
  wrongCode,
} from "./user_email.ts";

const verify = (otp: unknown, email: unknown = ADA) => userCall("verify-email", { email, otp });

Deno.test("verify-email accepts the code of sign-up with its session, in any letter case", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  const otp = await codeTo(app.services, project.projectId, ADA);
  app.clock.advance(1000);
  const answer = await project.asPublic(verify(otp, "Ada@EXAMPLE.com"), user);
  const message = "E-mail verified";
  assert.deepEqual(answer.body, { success: true, data: { message }, message });
  const me = ok(await project.asPublic({ path: "/api/userAuth/me" }, user));
  assert.deepEqual([me.emailVerified, me.updatedAt], [true, "2026-01-31T12:00:01.000Z"]);
  assert.ok(await isSignedIn(project, user));
  assert.equal(await countOf(app, project, CODES), 0);
});

Deno.test("verify-email refuses all invalid codes alike", async () => {
  await using app = await openTestApp();
  const [project, other] = [await app.project(), await app.project()];
  const { id } = await signUp(project, { email: ADA });
  await signUp(project, { email: "bob@example.com" });
  await signUp(other, { email: ADA });
  const { services } = app;
  const replaced = await codeTo(services, project.projectId, ADA);
  const otp = await requestCode(app, project, "resend-verification-otp", ADA);
  const foreign = await codeTo(services, other.projectId, ADA);
  const bobs = await codeTo(services, project.projectId, "bob@example.com");
  const texts = new Set<string>();
  const assertInvalidCode = async (call: ReturnType<typeof verify>) => {
    const answer = await project.asPublic(call);
    refused(answer, 400, "INVALID_CODE");
    texts.add(answer.text);
  };
  await assertTraceless(app, project, async () => {
    if (replaced !== otp) await assertInvalidCode(verify(replaced));
    if (foreign !== otp) await assertInvalidCode(verify(foreign));
    if (bobs !== otp) await assertInvalidCode(verify(bobs));
    await assertInvalidCode(verify(otp, "nobody@example.com"));
    await assertInvalidCode(verify(otp, "no address"));
  }, [CODES]);
  ok(await project.asPublic(verify(otp)));
  await assertInvalidCode(verify(otp));
  assert.equal(texts.size, 1);
  assert.equal((await storedUser(app, project, id)).emailVerified, true);
});

Deno.test("verify-email refuses codes for other purposes", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { id } = await signUp(project, { email: ADA });
  const own = await codeTo(app.services, project.projectId, ADA);
  for (const operation of ["code/request", "request-password-reset"] as const) {
    const otp = await requestCode(app, project, operation, ADA);
    if (otp !== own) refused(await project.asPublic(verify(otp)), 400, "INVALID_CODE");
  }
  assert.equal((await storedUser(app, project, id)).emailVerified, false);
  ok(await project.asPublic(verify(own)));
});

Deno.test("verify-email: a code is valid for ten minutes, even if its record remains", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const [early, late] = ["early@example.com", "late@example.com"];
  for (const email of [early, late]) await signUp(project, { email });
  const codes = [early, late].map((email) => codeTo(app.services, project.projectId, email));
  const [one, two] = await Promise.all(codes);
  app.clock.advance(10 * MINUTE_MS - 1);
  ok(await project.asPublic(verify(one, early)));
  app.clock.advance(1);
  refused(await project.asPublic(verify(two, late)), 400, "INVALID_CODE");
});

Deno.test("verify-email: after five wrong attempts from any address the right code is refused", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { id } = await signUp(project, { email: ADA });
  const otp = await codeTo(app.services, project.projectId, ADA);
  const guesses = times(50, (i) => ({ ...verify(wrongCode(otp)), peer: `203.0.${i}.7` }));
  const answers = await Promise.all(guesses.map((call) => project.asPublic(call)));
  assert.deepEqual(tally(answers), { 400: 50 });
  refused(await project.asPublic(verify(otp)), 400, "INVALID_CODE");
  assert.equal((await storedUser(app, project, id)).emailVerified, false);
  const fresh = await requestCode(app, project, "resend-verification-otp", ADA);
  for (let i = 0; i < 4; i++) {
    refused(await project.asPublic(verify(wrongCode(fresh))), 400, "INVALID_CODE");
  }
  ok(await project.asPublic(verify(fresh)));
});

Deno.test("verify-email: of 50 concurrent uses of one code one succeeds", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  const otp = await codeTo(app.services, project.projectId, ADA);
  const answers = await Promise.all(times(50, () => project.asPublic(verify(otp))));
  assert.deepEqual(tally(answers), { 200: 1, 400: 49 });
  for (const answer of answers) if (answer.status === 400) refused(answer, 400, "INVALID_CODE");
});

Deno.test("verify-email refuses the code of a user who was disabled or changed their address", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const [off, moved] = [
    await signUp(project, { email: ADA }),
    await signUp(project, { email: "bob@example.com" }),
  ];
  const change = (id: string, body: unknown) =>
    project.asSecret({ method: "PATCH", path: `/api/userAuth/users/${id}`, body });
  const { projectId } = project;
  const offs = await codeTo(app.services, projectId, ADA);
  const moveds = await codeTo(app.services, projectId, "bob@example.com");
  ok(await change(off.id, { disabled: true }));
  ok(await change(moved.id, { email: "bobby@example.com" }));
  refused(await project.asPublic(verify(offs)), 400, "INVALID_CODE");
  for (const email of ["bob@example.com", "bobby@example.com"]) {
    refused(await project.asPublic(verify(moveds, email)), 400, "INVALID_CODE");
  }
  for (const { id } of [off, moved]) {
    assert.equal((await storedUser(app, project, id)).emailVerified, false);
  }
});

Deno.test("verify-email refuses bodies of another shape, which use up no attempt", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  const otp = await codeTo(app.services, project.projectId, ADA);
  const wrong: [unknown, string][] = [
    [{ email: ADA }, "otp"],
    [{ otp }, "email"],
    [{ email: ADA, otp: Number(otp) }, "otp"],
    [{ email: ADA, otp: "" }, "otp"],
    [{ email: ADA, otp: { $ne: null } }, "otp"],
    [{ email: [ADA], otp }, "email"],
    [{ email: ADA, otp, purpose: "verify" }, "only email, otp"],
    [{ email: ADA, otp, password: 7 }, "password"],
  ];
  await assertTraceless(app, project, async () => {
    for (const [body, says] of wrong) {
      refused(await project.asPublic(userCall("verify-email", body)), 400, "INVALID_BODY", says);
    }
  });
  ok(await project.asPublic(verify(otp)));
});

Deno.test("verify-email: no record but the kept mail contains the code", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  const otp = await codeTo(app.services, project.projectId, ADA);
  const records = app.services.engine.records(project.projectId, CODES);
  const texts = (await Array.fromAsync(records.find({ filter: ALL })))
    .map((record) => JSON.stringify(record));
  assert.equal(texts.length, 1);
  assert.ok(!texts[0]!.includes(otp));
});

Deno.test("verify-email with a wrong password is refused, and the code remains valid", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  const otp = await codeTo(app.services, project.projectId, ADA);
  const body = { email: ADA, otp, password: "not this one 5" };
  refused(await project.asPublic(userCall("verify-email", body)), 400, "WRONG_PASSWORD");
  assert.ok(await isSignedIn(project, user));
  ok(await project.asPublic(verify(otp), user));
});

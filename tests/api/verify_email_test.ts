import assert from "node:assert/strict";
import { CODES } from "@/lib/credentials/codes.ts";
import { ALL } from "@/lib/store/filter.ts";
import { openTestApp } from "../support/test_app.ts";
import { codeTo } from "../support/mailbox.ts";
import { isSignedIn } from "./signed_in.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import {
  ADA,
  codeFor,
  countOf,
  MINUTE_MS,
  signUp,
  storedUser,
  traceless,
  userCall,
  wrongCode,
} from "./user_email.ts";

const verify = (otp: unknown, email: unknown = ADA) => userCall("verify-email", { email, otp });

Deno.test("verify-email takes the code of sign-up with its session, in any letter case of the address", async () => {
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

Deno.test("verify-email: wrong, used, expired, replaced, foreign and unknown codes are one refusal", async () => {
  await using app = await openTestApp();
  const [project, other] = [await app.project(), await app.project()];
  const { id } = await signUp(project, { email: ADA });
  await signUp(project, { email: "bob@example.com" });
  await signUp(other, { email: ADA });
  const { services } = app;
  const replaced = await codeTo(services, project.projectId, ADA);
  const otp = await codeFor(app, project, "resend-verification-otp", ADA);
  const foreign = await codeTo(services, other.projectId, ADA);
  const bobs = await codeTo(services, project.projectId, "bob@example.com");
  const texts = new Set<string>();
  const refuse = async (call: ReturnType<typeof verify>) => {
    const answer = await project.asPublic(call);
    refused(answer, 400, "INVALID_CODE");
    texts.add(answer.text);
  };
  await traceless(app, project, async () => {
    if (replaced !== otp) await refuse(verify(replaced));
    if (foreign !== otp) await refuse(verify(foreign));
    if (bobs !== otp) await refuse(verify(bobs));
    await refuse(verify(otp, "nobody@example.com"));
    await refuse(verify(otp, "no address"));
  }, [CODES]);
  ok(await project.asPublic(verify(otp)));
  await refuse(verify(otp));
  assert.equal(texts.size, 1);
  assert.equal((await storedUser(app, project, id)).emailVerified, true);
});

Deno.test("verify-email: codes for other purposes verify nothing", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { id } = await signUp(project, { email: ADA });
  const own = await codeTo(app.services, project.projectId, ADA);
  for (const operation of ["code/request", "request-password-reset"] as const) {
    const otp = await codeFor(app, project, operation, ADA);
    if (otp !== own) refused(await project.asPublic(verify(otp)), 400, "INVALID_CODE");
  }
  assert.equal((await storedUser(app, project, id)).emailVerified, false);
  ok(await project.asPublic(verify(own)));
});

Deno.test("verify-email: a code lives ten minutes by the clock, though its record is still there", async () => {
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

Deno.test("verify-email: after five wrong tries the right code is dead, from wherever they came", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { id } = await signUp(project, { email: ADA });
  const otp = await codeTo(app.services, project.projectId, ADA);
  const guesses = times(50, (i) => ({ ...verify(wrongCode(otp)), peer: `203.0.${i}.7` }));
  const answers = await Promise.all(guesses.map((call) => project.asPublic(call)));
  assert.deepEqual(tally(answers), { 400: 50 });
  refused(await project.asPublic(verify(otp)), 400, "INVALID_CODE");
  assert.equal((await storedUser(app, project, id)).emailVerified, false);
  const fresh = await codeFor(app, project, "resend-verification-otp", ADA);
  for (let i = 0; i < 4; i++) {
    refused(await project.asPublic(verify(wrongCode(fresh))), 400, "INVALID_CODE");
  }
  ok(await project.asPublic(verify(fresh)));
});

Deno.test("verify-email: of 50 parallel uses of one code one wins", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  const otp = await codeTo(app.services, project.projectId, ADA);
  const answers = await Promise.all(times(50, () => project.asPublic(verify(otp))));
  assert.deepEqual(tally(answers), { 200: 1, 400: 49 });
  for (const answer of answers) if (answer.status === 400) refused(answer, 400, "INVALID_CODE");
});

Deno.test("verify-email: a code is no good for a user who was disabled or has another address since", async () => {
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

Deno.test("verify-email refuses bodies of another shape, which take no try", async () => {
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
  await traceless(app, project, async () => {
    for (const [body, says] of wrong) {
      refused(await project.asPublic(userCall("verify-email", body)), 400, "INVALID_BODY", says);
    }
  });
  ok(await project.asPublic(verify(otp)));
});

Deno.test("verify-email: the code stands nowhere in the records but in the kept mail", async () => {
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

Deno.test("verify-email with a wrong password is refused, and the code stays good", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  const otp = await codeTo(app.services, project.projectId, ADA);
  const body = { email: ADA, otp, password: "not this one 5" };
  refused(await project.asPublic(userCall("verify-email", body)), 400, "WRONG_PASSWORD");
  assert.ok(await isSignedIn(project, user));
  ok(await project.asPublic(verify(otp), user));
});

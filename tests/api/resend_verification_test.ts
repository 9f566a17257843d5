import assert from "node:assert/strict";
import { SENDINGS } from "@/lib/credentials/codes.ts";
import { openTestApp } from "../support/test_app.ts";
import { codeTo, mailsOf } from "../support/mailbox.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import {
  ADA,
  assertTraceless,
  countOf,
  MINUTE_MS,
  sentMails,
  signUp,
  userCall,
} from "./user_email.ts";

const resend = (email: unknown = ADA) => userCall("resend-verification-otp", { email });
const MESSAGE = "If it can be verified, a code is on its way";

Deno.test("resend-verification sends a new code to the stored address, which replaces the old one", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: "https://app.example.com" });
  await signUp(project, { email: ADA });
  const { services } = app;
  const old = await codeTo(services, project.projectId, ADA);
  await app.services.jobRunner.idle();
  app.clock.advance(MINUTE_MS);
  const answer = await project.asPublic(resend("ADA@example.com"));
  assert.deepEqual(answer.body, { success: true, data: { message: MESSAGE }, message: MESSAGE });
  const otp = await codeTo(services, project.projectId, ADA);
  const verify = (otp: string) => userCall("verify-email", { email: ADA, otp });
  if (old !== otp) refused(await project.asPublic(verify(old)), 400, "INVALID_CODE");
  ok(await project.asPublic(verify(otp)));
  const mails = await mailsOf(services, project.projectId);
  assert.deepEqual(mails.map(({ kind, to }) => [kind, to]), [["verify", ADA], ["verify", ADA]]);
  const link = `https://app.example.com/auth/verify?purpose=verify&email=ada%40example.com#code=`;
  assert.ok(mails[1]!.text!.includes(`${link}${otp}`));
});

Deno.test("resend-verification sends nothing to unknown, verified and disabled users; answers alike", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const create = (body: unknown) => project.asSecret({ path: "/api/userAuth/users", body });
  ok(await create({ email: "verified@example.com", emailVerified: true }), 201);
  ok(await create({ email: "disabled@example.com", disabled: true }), 201);
  await assertTraceless(app, project, async () => {
    for (const who of ["nobody", "verified", "disabled"]) {
      const answer = await project.asPublic(resend(`${who}@example.com`));
      assert.deepEqual(ok(answer), { message: MESSAGE });
    }
  });
});

Deno.test("resend-verification sends one code a minute and five an hour, and answers alike", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  ok(await project.asSecret({ path: "/api/userAuth/users", body: { email: ADA } }), 201);
  const sent = async () => (await sentMails(app, project)).length;
  const texts = new Set<string>();
  const ask = async () => void texts.add((await project.asPublic(resend())).text);
  await ask();
  assert.equal(await sent(), 1);
  await app.services.jobRunner.idle();
  app.clock.advance(MINUTE_MS - 1);
  await ask();
  assert.equal(await sent(), 1);
  app.clock.advance(1);
  for (let i = 2; i <= 5; i++) {
    await ask();
    assert.equal(await sent(), i);
    await app.services.jobRunner.idle();
    app.clock.advance(MINUTE_MS);
  }
  for (let i = 0; i < 5; i++) {
    await ask();
    assert.equal(await sent(), 5);
    await app.services.jobRunner.idle();
    app.clock.advance(10 * MINUTE_MS);
  }
  await app.services.jobRunner.idle();
  app.clock.advance(10 * MINUTE_MS);
  await ask();
  assert.equal(await sent(), 6, "an hour after the first");
  assert.equal(texts.size, 1);
});

Deno.test("resend-verification: 50 concurrent requests send one mail", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  ok(await project.asSecret({ path: "/api/userAuth/users", body: { email: ADA } }), 201);
  const answers = await Promise.all(times(50, () => project.asPublic(resend())));
  assert.deepEqual(tally(answers), { 200: 50 });
  assert.deepEqual(await sentMails(app, project), [["verify", ADA]]);
  assert.equal(await countOf(app, project, SENDINGS), 1);
});

Deno.test("resend-verification refuses an invalid address", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const wrong = [null, 5, "", "ada", "a@b@c", "a@example.com,b@example.com", [ADA], {}];
  await assertTraceless(app, project, async () => {
    for (const email of wrong) {
      refused(await project.asPublic(resend(email)), 400, "INVALID_BODY", "email");
    }
    const more = userCall("resend-verification-otp", { email: ADA, to: "eve@example.com" });
    refused(await project.asPublic(more), 400, "INVALID_BODY", "only email");
  });
});

Deno.test("resend-verification without a mail server is 503 for any address", async () => {
  await using app = await openTestApp({ env: { MAIL_URL: "" } });
  const project = await app.project();
  ok(await project.asSecret({ path: "/api/userAuth/users", body: { email: ADA } }), 201);
  await assertTraceless(app, project, async () => {
    for (const email of [ADA, "nobody@example.com"]) {
      refused(await project.asPublic(resend(email)), 503, "MAIL_NOT_CONFIGURED");
    }
  });
});

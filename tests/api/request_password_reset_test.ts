import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { mailsOf } from "../support/mailbox.ts";
import { ok, refused } from "./test_collection.ts";
import {
  ADA,
  assertTraceless,
  logIn,
  MINUTE_MS,
  sentMails,
  signUp,
  userCall,
} from "./user_email.ts";

const request = (email: unknown = ADA) => userCall("request-password-reset", { email });
const MESSAGE = "If a user has this e-mail, a code is on its way";

Deno.test("request-password-reset sends a code and a link whose opening uses up nothing", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: "https://app.example.com" });
  await signUp(project, { email: ADA });
  const answer = await project.asPublic(request("Ada@example.com"));
  assert.deepEqual(answer.body, { success: true, data: { message: MESSAGE }, message: MESSAGE });
  const mails = await mailsOf(app.services, project.projectId);
  const [mail] = mails.filter(({ kind }) => kind === "resetPassword");
  assert.deepEqual([mail!.to, mail!.hasCode], [ADA, true]);
  const [otp] = /\b\d{6}\b/.exec(mail!.subject)!;
  const link = "https://app.example.com/auth/verify?purpose=resetPassword&" +
    `email=ada%40example.com#code=${otp}`;
  assert.ok(mail!.text!.includes(link));
  ok(await logIn(project, ADA));
});

Deno.test("request-password-reset also serves users without a password, verified or not", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const create = (body: unknown) => project.asSecret({ path: "/api/userAuth/users", body });
  ok(await create({ email: ADA }), 201);
  ok(await create({ email: "bob@example.com", emailVerified: true }), 201);
  for (const email of [ADA, "bob@example.com"]) ok(await project.asPublic(request(email)));
  const sent = (await sentMails(app, project)).toSorted();
  assert.deepEqual(sent, [["resetPassword", ADA], ["resetPassword", "bob@example.com"]]);
});

Deno.test("request-password-reset sends nothing to unknown and disabled users, and answers alike", async () => {
  await using app = await openTestApp();
  const [project, other] = [await app.project(), await app.project()];
  await signUp(other, { email: ADA });
  const body = { email: "disabled@example.com", disabled: true };
  ok(await project.asSecret({ path: "/api/userAuth/users", body }), 201);
  await assertTraceless(app, project, async () => {
    for (const email of [ADA, "disabled@example.com"]) {
      assert.deepEqual(ok(await project.asPublic(request(email))), { message: MESSAGE });
    }
  });
});

Deno.test("request-password-reset sends one code a minute and five an hour, counted by purpose", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  await app.services.jobRunner.idle(); // Without a wait the mails could arrive in either order.
  for (let i = 0; i < 8; i++) {
    for (let again = 0; again < 2; again++) ok(await project.asPublic(request()));
    await app.services.jobRunner.idle();
    app.clock.advance(MINUTE_MS);
  }
  ok(await project.asPublic(userCall("code/request", { email: ADA })));
  const kinds = (await sentMails(app, project)).map(([kind]) => kind);
  assert.deepEqual(kinds, ["verify", ...Array(5).fill("resetPassword"), "code"]);
});

Deno.test("request-password-reset refuses an invalid address", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  for (const email of [null, "", "ada", [ADA], "Ada <ada@example.com>"]) {
    refused(await project.asPublic(request(email)), 400, "INVALID_BODY", "email");
  }
});

Deno.test("request-password-reset without a mail server is 503 for any address", async () => {
  await using app = await openTestApp({ env: { MAIL_URL: "" } });
  const project = await app.project();
  await signUp(project, { email: ADA });
  await assertTraceless(app, project, async () => {
    for (const email of [ADA, "nobody@example.com"]) {
      refused(await project.asPublic(request(email)), 503, "MAIL_NOT_CONFIGURED");
    }
  });
});

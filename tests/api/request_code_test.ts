import assert from "node:assert/strict";
import { CODES } from "@/lib/credentials/codes.ts";
import { openTestApp } from "../support/test_app.ts";
import { codeTo, mailsOf } from "../support/mailbox.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import {
  ADA,
  assertTraceless,
  authProject,
  countOf,
  MINUTE_MS,
  sentMails,
  setAuth,
  signUp,
  storedUsers,
  userCall,
} from "./user_email.ts";

const request = (email: unknown = ADA) => userCall("code/request", { email });
const MESSAGE = "If it can sign in here, a code is on its way";

Deno.test("code/request sends a code to a user, and to a new person if sign-up is open", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: "https://app.example.com" });
  await signUp(project, { email: ADA });
  const known = await project.asPublic(request("ADA@example.com"));
  assert.deepEqual(known.body, { success: true, data: { message: MESSAGE }, message: MESSAGE });
  const unknown = await project.asPublic(request("new@example.com"));
  assert.equal(unknown.text, known.text);
  const mails = (await mailsOf(app.services, project.projectId))
    .filter(({ kind }) => kind === "code");
  assert.deepEqual(mails.map(({ to }) => to).toSorted(), [ADA, "new@example.com"]);
  const otp = await codeTo(app.services, project.projectId, "new@example.com");
  const link =
    `https://app.example.com/auth/verify?purpose=code&email=new%40example.com#code=${otp}`;
  assert.ok(mails.find(({ to }) => to !== ADA)!.text!.includes(link));
  assert.equal(
    (await storedUsers(app, project)).length,
    1,
    "no user is created before the code is used",
  );
});

Deno.test("code/request sends nothing to disabled users, nor to new people while sign-up is closed", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { signUp: "closed" });
  const create = (body: unknown) => project.asSecret({ path: "/api/userAuth/users", body });
  ok(await create({ email: "disabled@example.com", disabled: true }), 201);
  ok(await create({ email: "known@example.com" }), 201);
  await assertTraceless(app, project, async () => {
    for (const email of ["disabled@example.com", "new@example.com"]) {
      assert.deepEqual(ok(await project.asPublic(request(email))), { message: MESSAGE });
    }
  });
  ok(await project.asPublic(request("known@example.com")));
  assert.deepEqual(await sentMails(app, project), [["code", "known@example.com"]]);
});

Deno.test("code/request sends an address one code a minute and five an hour, and answers alike", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const texts = new Set<string>();
  for (let i = 0; i < 10; i++) {
    for (const email of [ADA, "Ada@Example.com"]) {
      texts.add((await project.asPublic(request(email))).text);
    }
    await app.services.jobRunner.idle();
    app.clock.advance(MINUTE_MS);
  }
  assert.equal((await sentMails(app, project)).length, 5);
  assert.equal(texts.size, 1);
  ok(await project.asPublic(request("bob@example.com")));
  assert.equal((await sentMails(app, project)).length, 6, "other addresses are not limited");
  app.clock.advance(50 * MINUTE_MS);
  ok(await project.asPublic(request()));
  assert.equal((await sentMails(app, project)).length, 7);
});

Deno.test("code/request: 50 concurrent requests send one mail with one valid code", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const answers = await Promise.all(times(50, () => project.asPublic(request())));
  assert.deepEqual(tally(answers), { 200: 50 });
  assert.deepEqual(await sentMails(app, project), [["code", ADA]]);
  assert.equal(await countOf(app, project, CODES), 1);
  const otp = await codeTo(app.services, project.projectId, ADA);
  ok(await project.asPublic(userCall("code/verify", { email: ADA, otp })));
});

Deno.test("code/request is 403 where codes are off and 503 without a mail server", async () => {
  await using app = await openTestApp({ env: { MAIL_URL: "" } });
  const project = await app.project();
  await signUp(project, { email: ADA });
  await assertTraceless(app, project, async () => {
    for (const email of [ADA, "new@example.com"]) {
      refused(await project.asPublic(request(email)), 503, "MAIL_NOT_CONFIGURED");
    }
  });
  await setAuth(app, project, { emailCode: false });
  await assertTraceless(app, project, async () => {
    refused(await project.asPublic(request()), 403, "SIGN_IN_METHOD_OFF");
  });
});

Deno.test("code/request refuses an invalid address", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await assertTraceless(app, project, async () => {
    for (const email of [null, "", "ada", "a@b@c", `${"a".repeat(65)}@example.com`, [ADA]]) {
      refused(await project.asPublic(request(email)), 400, "INVALID_BODY", "email");
    }
  });
});

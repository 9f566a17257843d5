import assert from "node:assert/strict";
import { openTestApp, type TestProject, type TestUser } from "../support/test_app.ts";
import { codeTo } from "../support/mailbox.ts";
import { whileBusy } from "./passwords_full.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import {
  ADA,
  assertTraceless,
  authProject,
  HEADER_MODE,
  MINUTE_MS,
  NEXT_PASSWORD,
  PASSWORD,
  requestCode,
  sentMails,
  signUp,
  storedUser,
  userCall,
  userOf,
} from "./user_email.ts";

const NEXT = "ada@example.org";
const MESSAGE = "If no user has this e-mail, a code is on its way";

const change = (project: TestProject, user: TestUser, body: unknown) =>
  project.asPublic(userCall("change-email", body), user);

Deno.test("changeEmail sends a code to the new address and changes nothing before it is confirmed", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: "https://app.example.com" });
  const user = await signUp(project, { email: ADA });
  const before = await storedUser(app, project, user.id);
  const answer = await change(project, user, { newEmail: NEXT, password: PASSWORD });
  assert.deepEqual(answer.body, { success: true, data: { message: MESSAGE }, message: MESSAGE });
  assert.deepEqual(await sentMails(app, project), [["verify", ADA], ["emailChange", NEXT]]);
  assert.deepEqual(await storedUser(app, project, user.id), before);
  const otp = await codeTo(app.services, project.projectId, NEXT);
  assert.match(otp, /^\d{6}$/);
});

Deno.test("changeEmail refuses a wrong or missing password of a user who has one", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  await assertTraceless(app, project, async () => {
    for (const password of [NEXT_PASSWORD, undefined]) {
      refused(await change(project, user, { newEmail: NEXT, password }), 400, "WRONG_PASSWORD");
    }
  });
});

Deno.test("changeEmail locks the session after five wrong passwords", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  const body = { newEmail: NEXT, password: NEXT_PASSWORD };
  const answers = await Promise.all(times(8, () => change(project, user, body)));
  assert.deepEqual(tally(answers), { 400: 5, 429: 3 });
  const locked = await change(project, user, { newEmail: NEXT, password: PASSWORD });
  refused(locked, 429, "SIGN_IN_LOCKED");
  assert.equal(locked.headers.get("retry-after"), "60");
  assert.deepEqual(await sentMails(app, project), [["verify", ADA]]);
});

Deno.test("changeEmail requires no password of users without one", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { anonymous: true });
  const otp = await requestCode(app, project, "code/request", ADA);
  const byCode = userOf(
    await project.asPublic(userCall("code/verify", { email: ADA, otp }, HEADER_MODE)),
  );
  ok(await change(project, byCode, { newEmail: NEXT }));
  const anonymous = userCall("anonymous", undefined, HEADER_MODE);
  const guest = userOf(await project.asPublic(anonymous), 201);
  ok(await change(project, guest, { newEmail: "guest@example.org" }));
  const sent = await sentMails(app, project);
  assert.deepEqual(sent.filter(([kind]) => kind === "emailChange"), [
    ["emailChange", NEXT],
    ["emailChange", "guest@example.org"],
  ]);
});

Deno.test("changeEmail to an address in use gets an identical response, and sends nothing", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  await signUp(project, { email: "bob@example.com" });
  await assertTraceless(app, project, async () => {
    for (const newEmail of ["bob@example.com", "BOB@example.com"]) {
      const answer = await change(project, user, { newEmail, password: PASSWORD });
      assert.deepEqual(ok(answer), { message: MESSAGE });
    }
  });
});

Deno.test("changeEmail sends an address one code a minute and five an hour, for all callers", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const users = [await signUp(project), await signUp(project)];
  for (let i = 0; i < 8; i++) {
    for (const user of users) {
      ok(await change(project, user, { newEmail: NEXT, password: PASSWORD }));
    }
    await app.services.jobRunner.idle();
    app.clock.advance(MINUTE_MS);
  }
  const sent = (await sentMails(app, project)).filter(([, to]) => to === NEXT);
  assert.equal(sent.length, 5);
});

Deno.test("changeEmail refuses malformed bodies", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project);
  await assertTraceless(app, project, async () => {
    for (
      const [body, says] of [
        [{ password: PASSWORD }, "newEmail"],
        [{ newEmail: "ada", password: PASSWORD }, "newEmail"],
        [{ newEmail: NEXT, password: "" }, "password"],
        [{ newEmail: NEXT, password: PASSWORD, userId: "x" }, "only newEmail, password"],
      ] as const
    ) {
      refused(await change(project, user, body), 400, "INVALID_BODY", says);
    }
  });
});

Deno.test("changeEmail is 503 while too many passwords are hashed, and without a mail server", async () => {
  await using app = await openTestApp({ env: { MAIL_URL: "" } });
  const project = await app.project();
  const user = await signUp(project);
  const body = { newEmail: NEXT, password: PASSWORD };
  await assertTraceless(app, project, async () => {
    const busy = await whileBusy(app, project, userCall("change-email", body), user);
    refused(busy, 503, "PASSWORDS_BUSY");
    refused(await change(project, user, body), 503, "MAIL_NOT_CONFIGURED");
  });
});

Deno.test("changeEmail is 401 without an access token, and 403 with the secret key", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const call = userCall("change-email", { newEmail: NEXT });
  refused(await project.asPublic(call), 401, "ACCESS_TOKEN_REQUIRED");
  refused(await project.asSecret(call), 403, "PUBLISHABLE_KEY_REQUIRED");
});

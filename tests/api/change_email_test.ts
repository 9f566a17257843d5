import assert from "node:assert/strict";
import { openTestApp, type TestProject, type TestUser } from "../support/test_app.ts";
import { codeTo } from "../support/mailbox.ts";
import { whileBusy } from "./passwords_full.ts";
import { ok, refused, tally, times } from "./test_collection.ts";
import {
  ADA,
  authProject,
  codeFor,
  HEADER_MODE,
  mailed,
  MINUTE_MS,
  NEXT_PASSWORD,
  PASSWORD,
  signUp,
  storedUser,
  traceless,
  userCall,
  userOf,
} from "./user_email.ts";

const NEXT = "ada@example.org";
const MESSAGE = "If nobody has this e-mail, a code is on its way";

const change = (project: TestProject, user: TestUser, body: unknown) =>
  project.asPublic(userCall("change-email", body), user);

Deno.test("change-email sends a code to the next address and changes nothing before it is confirmed", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: "https://app.example.com" });
  const user = await signUp(project, { email: ADA });
  const before = await storedUser(app, project, user.id);
  const answer = await change(project, user, { newEmail: NEXT, password: PASSWORD });
  assert.deepEqual(answer.body, { success: true, data: { message: MESSAGE }, message: MESSAGE });
  assert.deepEqual(await mailed(app, project), [["verify", ADA], ["emailChange", NEXT]]);
  assert.deepEqual(await storedUser(app, project, user.id), before);
  const otp = await codeTo(app.services, project.projectId, NEXT);
  assert.match(otp, /^\d{6}$/);
});

Deno.test("change-email asks a user who has a password for it: a wrong or missing one is 400", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  await traceless(app, project, async () => {
    for (const password of [NEXT_PASSWORD, undefined]) {
      refused(await change(project, user, { newEmail: NEXT, password }), 400, "WRONG_PASSWORD");
    }
  });
});

Deno.test("change-email: after five wrong passwords a session must wait", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  const body = { newEmail: NEXT, password: NEXT_PASSWORD };
  const answers = await Promise.all(times(8, () => change(project, user, body)));
  assert.deepEqual(tally(answers), { 400: 5, 429: 3 });
  const locked = await change(project, user, { newEmail: NEXT, password: PASSWORD });
  refused(locked, 429, "SIGN_IN_LOCKED");
  assert.equal(locked.headers.get("retry-after"), "60");
  assert.deepEqual(await mailed(app, project), [["verify", ADA]]);
});

Deno.test("change-email asks users without a password for none: of codes and anonymous ones", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { anonymous: true });
  const otp = await codeFor(app, project, "code/request", ADA);
  const byCode = userOf(
    await project.asPublic(userCall("code/verify", { email: ADA, otp }, HEADER_MODE)),
  );
  ok(await change(project, byCode, { newEmail: NEXT }));
  const anonymous = userCall("anonymous", undefined, HEADER_MODE);
  const guest = userOf(await project.asPublic(anonymous), 201);
  ok(await change(project, guest, { newEmail: "guest@example.org" }));
  const sent = await mailed(app, project);
  assert.deepEqual(sent.filter(([kind]) => kind === "emailChange"), [
    ["emailChange", NEXT],
    ["emailChange", "guest@example.org"],
  ]);
});

Deno.test("change-email answers the same for an address that somebody has, and sends nothing", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project, { email: ADA });
  await signUp(project, { email: "bob@example.com" });
  await traceless(app, project, async () => {
    for (const newEmail of ["bob@example.com", "BOB@example.com"]) {
      const answer = await change(project, user, { newEmail, password: PASSWORD });
      assert.deepEqual(ok(answer), { message: MESSAGE });
    }
  });
});

Deno.test("change-email sends one code a minute and five an hour to an address, whoever asks", async () => {
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
  const sent = (await mailed(app, project)).filter(([, to]) => to === NEXT);
  assert.equal(sent.length, 5);
});

Deno.test("change-email refuses bodies of another shape", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project);
  await traceless(app, project, async () => {
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

Deno.test("change-email while too many passwords are looked at, or without mail, is 503", async () => {
  await using app = await openTestApp({ env: { MAIL_URL: "" } });
  const project = await app.project();
  const user = await signUp(project);
  const body = { newEmail: NEXT, password: PASSWORD };
  await traceless(app, project, async () => {
    const busy = await whileBusy(app, project, userCall("change-email", body), user);
    refused(busy, 503, "PASSWORDS_BUSY");
    refused(await change(project, user, body), 503, "MAIL_NOT_CONFIGURED");
  });
});

Deno.test("change-email without an access token is 401, with the secret key 403", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const call = userCall("change-email", { newEmail: NEXT });
  refused(await project.asPublic(call), 401, "ACCESS_TOKEN_REQUIRED");
  refused(await project.asSecret(call), 403, "PUBLISHABLE_KEY_REQUIRED");
});

import assert from "node:assert/strict";
import { codeTo, mailsOf } from "../support/mailbox.ts";
import { openTestApp } from "../support/test_app.ts";
import { whileBusy } from "./passwords_full.ts";
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
  NEXT_PASSWORD,
  PASSWORD,
  sentMails,
  setAuth,
  signUp,
  storedUsers,
  userCall,
  userOf,
} from "./user_email.ts";

const BODY = { email: ADA, password: PASSWORD };
const call = (body: unknown, headers: Record<string, string> = HEADER_MODE) =>
  userCall("signup", body, headers);

Deno.test("sign-up creates a user and a session, and sends a code to verify the address", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: SITE });
  const profile = { name: "Ada", username: "Ada.L", avatarUrl: "https://example.com/a.png" };
  const answer = await project.asPublic(call({ ...BODY, email: "Ada@Example.com", ...profile }));
  const data = ok(answer, 201);
  const { _id, createdAt, updatedAt, lastSignInAt, ...shown } = data.user;
  assert.deepEqual(shown, {
    email: "Ada@Example.com",
    emailVerified: false,
    ...profile,
    providers: [],
    isAnonymous: false,
    roles: [],
    claims: {},
  });
  const now = new Date(app.clock.now()).toISOString();
  assert.deepEqual([createdAt, updatedAt, lastSignInAt], [now, now, now]);
  assert.deepEqual([data.userId, data.token, data.expiresIn], [_id, data.accessToken, 900]);
  assert.equal(answer.body.message, "Signed up");
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const user = userOf(answer, 201);
  assert.ok(await isSignedIn(project, user));
  ok(await refresh(project, user.refreshToken));
  const { sub, aud, iss, sid, roles, claims } = claimsOf(user.token);
  assert.deepEqual([sub, aud, roles, claims], [_id, project.projectId, undefined, undefined]);
  assert.equal(iss, `http://localhost:8000/api/projects/${project.projectId}`);
  assert.match(sid, /^[0-9a-f]{24}$/);
  assert.deepEqual(await sentMails(app, project), [["verify", "Ada@Example.com"]]);
});

Deno.test("sign-up stores the password and the code only hashed, and returns no hash", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const answer = await project.asPublic(call(BODY));
  ok(answer, 201);
  const [user] = await storedUsers(app, project);
  assert.match(user!.passwordHash!, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.deepEqual(user!.ownMembers, []);
  assert.ok(!answer.text.includes("argon2") && !answer.text.includes(PASSWORD));
});

Deno.test("sign-up sets the refresh cookie of the project's site, or returns the token in header mode", async () => {
  await using app = await openTestApp();
  const project = await app.project({ siteUrl: SITE });
  const own = await project.asPublic(call(BODY, { origin: SITE }));
  assert.equal(ok(own, 201).refreshToken, undefined);
  const cookie = cookieOf(own)!;
  assert.match(cookie.pair, new RegExp(`^corbel_rt_${project.projectId}=[0-9a-f]{24}\\.`));
  assert.deepEqual(cookie.attributes, ["Path=/", "Max-Age=2592000", "HttpOnly", "SameSite=Lax"]);
  const foreign = { ...BODY, email: "bob@example.com" };
  const other = await project.asPublic(call(foreign, { origin: "https://evil.example" }));
  ok(other, 201);
  assert.equal(cookieOf(other), null);
  const header = await project.asPublic(call({ ...BODY, email: "eve@example.com" }));
  assert.match(ok(header, 201).refreshToken, /^[0-9a-f]{24}\.[A-Za-z0-9_-]{43}$/);
  assert.equal(cookieOf(header), null);
});

Deno.test("sign-up with a known address is 409 in any letter case, and changes nothing", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA });
  app.clock.advance(120_000);
  await assertTraceless(app, project, async () => {
    for (const email of [ADA, "ADA@example.COM"]) {
      refused(await project.asPublic(call({ ...BODY, email })), 409, "EMAIL_TAKEN");
    }
  });
  ok(await logIn(project, ADA));
  const other = await app.project();
  ok(await other.asPublic(call(BODY)), 201);
});

Deno.test("sign-up with a taken username is 409 in any letter case, and creates no user", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { username: "Ada" });
  await assertTraceless(app, project, async () => {
    refused(await project.asPublic(call({ ...BODY, username: "aDA" })), 409, "USERNAME_TAKEN");
  });
});

Deno.test("50 concurrent sign-ups with one address, or with one username, create one user", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  // Each from its own network, because each network may hash only few passwords at once.
  const peer = (i: number) => `203.0.${i}.7`;
  const one = await Promise.all(
    times(50, (i) => project.asPublic({ ...call(BODY), peer: peer(i) })),
  );
  assert.deepEqual(tally(one), { 201: 1, 409: 49 });
  for (const answer of one) if (answer.status === 409) refused(answer, 409, "EMAIL_TAKEN");
  assert.deepEqual(await sentMails(app, project), [["verify", ADA]]);
  const named = await Promise.all(times(50, (i) => {
    const body = { ...BODY, email: `${i}@example.com`, username: i % 2 ? "ada" : "ADA" };
    return project.asPublic({ ...call(body), peer: peer(i) });
  }));
  assert.deepEqual(tally(named), { 201: 1, 409: 49 });
  for (const answer of named) if (answer.status === 409) refused(answer, 409, "USERNAME_TAKEN");
  assert.equal((await storedUsers(app, project)).length, 2);
});

Deno.test("sign-up refuses invalid bodies, names the member, and creates nothing", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const wrong: [unknown, string][] = [
    [{ password: PASSWORD }, "email"],
    [{ email: ADA }, "password"],
    [{ ...BODY, password: "" }, "password"],
    [{ ...BODY, password: 12345678 }, "password"],
    [{ ...BODY, email: "ada" }, "email"],
    [{ ...BODY, email: "ada@example.com, eve@example.com" }, "email"],
    [{ ...BODY, email: "Ada <ada@example.com>" }, "email"],
    [{ ...BODY, email: "ada@example.com\r\nBcc: eve@example.com" }, "email"],
    [{ ...BODY, email: `${"a".repeat(65)}@example.com` }, "email"],
    [{ ...BODY, email: null }, "email"],
    [{ ...BODY, username: "ad" }, "username"],
    [{ ...BODY, username: "a".repeat(51) }, "username"],
    [{ ...BODY, username: "ada lovelace" }, "username"],
    [{ ...BODY, username: "adá" }, "username"],
    [{ ...BODY, avatarUrl: "http://example.com/a.png" }, "https"],
    [{ ...BODY, name: "x".repeat(201) }, "200"],
    [{ ...BODY, company: "Analytical Engines" }, "company"],
    [[], "object"],
  ];
  await assertTraceless(app, project, async () => {
    for (const [body, says] of wrong) {
      refused(await project.asPublic(call(body)), 400, "INVALID_BODY", says);
    }
  });
});

Deno.test("sign-up refuses passwords that are too short, too long, common or the address", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const wrong: [string, string][] = [
    ["7 signs", "8 to 200"],
    ["x".repeat(201), "8 to 200"],
    ["password1", "guessed first"],
    ["ADA@example.com", "guessed first"],
    ["two\u0000words more", "password"],
  ];
  await assertTraceless(app, project, async () => {
    for (const [password, says] of wrong) {
      refused(await project.asPublic(call({ ...BODY, password })), 400, "INVALID_PASSWORD", says);
    }
  });
  await setAuth(app, project, { passwordLengthMin: 20 });
  const short = await project.asPublic(call({ ...BODY, password: NEXT_PASSWORD }));
  refused(short, 400, "INVALID_PASSWORD", "20 to 200");
  ok(await project.asPublic(call({ ...BODY, password: `${NEXT_PASSWORD} and more` })), 201);
});

Deno.test("sign-up applies field defaults, and refuses missing required and undeclared fields", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await declareFields(
    app,
    project,
    { key: "company", type: "String", required: true, public: true },
    { key: "newsletter", type: "Boolean", default: false },
    { key: "age", type: "Number" },
  );
  await assertTraceless(app, project, async () => {
    for (
      const [given, says] of [
        [{}, "company is required"],
        [{ company: null }, "company is required"],
        [{ company: 5 }, "company"],
        [{ company: "A", age: "old" }, "age"],
        [
          { company: "A", other: 1 },
          "other is not declared. Declared are company, newsletter, age",
        ],
      ] as const
    ) {
      const answer = await project.asPublic(call({ ...BODY, ...given }));
      refused(answer, 400, "INVALID_BODY");
      assert.ok(answer.body.message.replaceAll('"', "").includes(says), answer.body.message);
    }
  });
  const { user } = ok(await project.asPublic(call({ ...BODY, company: "Engines" })), 201);
  assert.deepEqual([user.company, user.newsletter, user.age], ["Engines", false, null]);
});

Deno.test("sign-up refuses a body over 64 KiB", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await assertTraceless(app, project, async () => {
    const answer = await project.asPublic(call({ ...BODY, name: "x".repeat(65_536) }));
    refused(answer, 413, "BODY_TOO_LARGE");
  });
});

Deno.test("sign-up is 403 and creates nothing while it is closed or passwords are off", async () => {
  await using app = await openTestApp();
  const closed = await authProject(app, { signUp: "closed" });
  await assertTraceless(app, closed, async () => {
    refused(await closed.asPublic(call(BODY)), 403, "SIGN_UP_CLOSED", "no new users");
  });
  const off = await authProject(app, { password: false });
  await assertTraceless(app, off, async () => {
    refused(await off.asPublic(call(BODY)), 403, "SIGN_IN_METHOD_OFF");
  });
});

Deno.test("with requireVerifiedEmail sign-up answers alike for known addresses, and mails them", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { requireVerifiedEmail: true });
  const first = await project.asPublic(call(BODY));
  assert.deepEqual(ok(first, 201), { verificationRequired: true });
  assert.equal(first.body.message, "Enter the code that was sent to the e-mail");
  await app.services.jobRunner.idle();
  app.clock.advance(60_000);
  const [before] = await storedUsers(app, project);
  const again = await project.asPublic(call({ ...BODY, email: "ADA@example.com", name: "Eve" }));
  assert.equal(again.text, first.text);
  assert.equal(cookieOf(again), null);
  assert.deepEqual(await storedUsers(app, project), [before]);
  // The mail goes to the address as its user wrote it.
  assert.deepEqual(await sentMails(app, project), [["verify", ADA], ["accountExists", ADA]]);
  const [, told] = await mailsOf(app.services, project.projectId);
  assert.ok(!told!.text!.includes("Eve"), "a stranger's text is not in the mail");
  refused(await logIn(project, ADA), 403, "EMAIL_NOT_VERIFIED");
  app.clock.advance(60_000);
  const otp = await codeTo(app.services, project.projectId, ADA);
  ok(await project.asPublic(userCall("verify-email", { email: ADA, otp, password: PASSWORD })));
  ok(await logIn(project, ADA));
});

Deno.test("with requireVerifiedEmail 20 concurrent sign-ups create one user, who gets a code", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { requireVerifiedEmail: true });
  const answers = await Promise.all(
    times(20, (i) => project.asPublic({ ...call(BODY), peer: `203.0.${i}.7` })),
  );
  assert.deepEqual(tally(answers), { 201: 20 });
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.equal((await storedUsers(app, project)).length, 1);
  const [first] = await sentMails(app, project);
  assert.deepEqual(first, ["verify", ADA]);
});

Deno.test("sign-up as an anonymous user keeps their id, what they set and their documents", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { anonymous: true });
  await declareFields(app, project, { key: "company", type: "String" }, {
    key: "team",
    type: "String",
  });
  await project.collection({ name: "notes", rls: { mode: "private" } });
  const anonymous = userOf(
    await project.asPublic(userCall("anonymous", undefined, HEADER_MODE)),
    201,
  );
  const set = { name: "Ada", username: "ada", company: "Engines", team: "One" };
  ok(await project.asPublic({ method: "PATCH", path: "/api/userAuth/me", body: set }, anonymous));
  const note = { path: "/api/data/notes", body: { text: "mine" } };
  const { _id } = ok(await project.asPublic(note, anonymous), 201);
  app.clock.advance(1000);
  const body = { ...BODY, username: "Ada", team: "Two" };
  const answer = await project.asPublic(call(body), anonymous);
  const user = userOf(answer, 201);
  assert.equal(user.id, anonymous.id);
  const { email, isAnonymous, emailVerified, name, username, company, team } = ok(answer, 201).user;
  assert.deepEqual(
    [email, isAnonymous, emailVerified, name, username, company, team],
    [ADA, false, false, "Ada", "Ada", "Engines", "Two"],
  );
  ok(await project.asPublic({ path: `/api/data/notes/${_id}` }, user));
  assert.ok(await isSignedIn(project, anonymous), "the former session stays valid");
  ok(await logIn(project, ADA));
  assert.equal((await storedUsers(app, project)).length, 1);
});

Deno.test("an anonymous user can sign up while sign-up is closed, but no other user", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { anonymous: true });
  const anonymous = userOf(
    await project.asPublic(userCall("anonymous", undefined, HEADER_MODE)),
    201,
  );
  const bob = await signUp(project);
  await setAuth(app, project, { signUp: "closed" });
  await assertTraceless(app, project, async () => {
    refused(await project.asPublic(call(BODY), bob), 403, "SIGN_UP_CLOSED");
  });
  assert.equal((await signUp(project, BODY, anonymous)).id, anonymous.id);
});

Deno.test("of 20 concurrent sign-ups as one anonymous user one succeeds", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { anonymous: true, signUp: "open" });
  const anonymous = userOf(
    await project.asPublic(userCall("anonymous", undefined, HEADER_MODE)),
    201,
  );
  await setAuth(app, project, { signUp: "closed" });
  const answers = await Promise.all(times(20, (i) => {
    const body = { ...BODY, email: `${i}@example.com` };
    return project.asPublic({ ...call(body), peer: `203.0.${i}.7` }, anonymous);
  }));
  assert.deepEqual(tally(answers), { 201: 1, 403: 19 });
  assert.equal((await storedUsers(app, project)).length, 1);
});

Deno.test("sign-up works without a mail server, but with requireVerifiedEmail is 503", async () => {
  await using app = await openTestApp({ env: { MAIL_URL: "" } });
  const project = await app.project();
  ok(await project.asPublic(call(BODY)), 201);
  assert.deepEqual(await sentMails(app, project), []);
  await setAuth(app, project, { requireVerifiedEmail: true });
  await assertTraceless(app, project, async () => {
    const answer = await project.asPublic(call({ ...BODY, email: "bob@example.com" }));
    refused(answer, 503, "MAIL_NOT_CONFIGURED");
  });
});

Deno.test("sign-up while too many passwords are hashed is 503 with Retry-After", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await assertTraceless(app, project, async () => {
    const answer = await whileBusy(app, project, call(BODY));
    refused(answer, 503, "PASSWORDS_BUSY");
    assert.equal(answer.headers.get("retry-after"), "2");
  });
});

Deno.test("sign-up with an invalid bearer is 401, and it also works with the secret key", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const headers = { ...HEADER_MODE, authorization: "Bearer old" };
  await assertTraceless(app, project, async () => {
    refused(await project.asPublic(call(BODY, headers)), 401, "ACCESS_TOKEN_INVALID");
  });
  ok(await project.asSecret(call(BODY)), 201);
});

import assert from "node:assert/strict";
import { CODES } from "@/lib/credentials/codes.ts";
import { mailsOf } from "../support/mailbox.ts";
import { openTestApp } from "../support/test_app.ts";
import { isSignedIn } from "../api/signed_in.ts";
import { assertFailedWith, openSignInFixture } from "../api/sign_in_fixture.ts";
import { ok, refused } from "../api/test_collection.ts";
import {
  ADA,
  assertTraceless,
  authProject,
  claimsOf,
  CODE_REQUESTS,
  declareFields,
  HEADER_MODE,
  logIn,
  MINUTE_MS,
  NEXT_PASSWORD,
  PASSWORD,
  requestCode,
  sentMails,
  setAuth,
  signUp,
  storedUser,
  storedUsers,
  userCall,
  userOf,
} from "../api/user_email.ts";
import { createGuest, patchUser } from "./user_fixture.ts";

/** Attacks that impersonate users or extend their rights. */

Deno.test("passwords: 200 characters are accepted, 201 are refused, and 10 MB are not read", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const long = ["aB3 ".repeat(50), "🐙🦑🐚🌊".repeat(50), "é".repeat(200)];
  for (const [i, password] of long.entries()) {
    const email = `${i}@example.com`;
    await signUp(project, { email, password });
    ok(await logIn(project, email, password));
    refused(await logIn(project, email, password.slice(0, -1)), 401, "INVALID_CREDENTIALS");
    await assertTraceless(app, project, async () => {
      const body = { email: ADA, password: `${password}é` };
      refused(await project.asPublic(userCall("signup", body)), 400, "INVALID_PASSWORD");
    });
  }
  const huge = "x".repeat(10 * 1_048_576);
  const user = await signUp(project);
  const calls = [
    userCall("signup", { email: ADA, password: huge }),
    userCall("login", { email: ADA, password: huge }),
    userCall("reset-password", { email: ADA, otp: "123456", newPassword: huge }),
    { ...userCall("change-password", { currentPassword: huge, newPassword: huge }), method: "PUT" },
    userCall("change-email", { newEmail: ADA, password: huge }),
  ];
  await assertTraceless(app, project, async () => {
    for (const call of calls) {
      refused(await project.asPublic(call, user), 413, "BODY_TOO_LARGE");
    }
  });
});

Deno.test("passwords: two Unicode spellings of a password are equal", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: ADA, password: "caf\u00e9 au lait 77" });
  ok(await logIn(project, ADA, "cafe\u0301 au lait 77"));
});

const KATE = "kate@example.com";

const LOOK_ALIKES = [
  "\u212Aate@example.com",
  "ｋａｔｅ@example.com",
  "ka\u200Bte@example.com",
  "kate\u00AD@example.com",
  "\u202Ekate@example.com",
  "kate@ex\u{E0061}ample.com",
];

Deno.test("look-alike address: it receives no mail, and creates and opens no account", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const { id } = await signUp(project, { email: KATE });
  ok(await patchUser(project, id, { emailVerified: true }));
  for (const email of LOOK_ALIKES) {
    app.clock.advance(2 * 3_600_000);
    for (const operation of CODE_REQUESTS) {
      await project.asPublic(userCall(operation, { email }));
    }
    const taken = await project.asPublic(userCall("signup", { email, password: NEXT_PASSWORD }));
    refused(taken, 409, "EMAIL_TAKEN");
    refused(await logIn(project, email, NEXT_PASSWORD), 401, "INVALID_CREDENTIALS");
    const eve = await signUp(project);
    const change = { newEmail: email, password: PASSWORD };
    ok(await project.asPublic(userCall("change-email", change), eve));
    const create = { path: "/api/userAuth/users", body: { email } };
    refused(await project.asSecret(create), 409, "EMAIL_TAKEN");
    assert.deepEqual(await mailsOf(app.services, project.projectId, email), []);
  }
  assert.deepEqual((await sentMails(app, project)).filter(([kind]) => kind !== "verify"), []);
});

Deno.test("look-alike address: with requireVerifiedEmail the existing address is notified", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { email: KATE });
  await setAuth(app, project, { requireVerifiedEmail: true });
  await app.services.jobRunner.idle();
  app.clock.advance(MINUTE_MS);
  const body = { email: LOOK_ALIKES[0], password: NEXT_PASSWORD };
  ok(await project.asPublic(userCall("signup", body)), 201);
  assert.deepEqual(await sentMails(app, project), [["verify", KATE], ["accountExists", KATE]]);
  refused(await logIn(project, KATE, NEXT_PASSWORD), 401, "INVALID_CREDENTIALS");
});

Deno.test("look-alike address: its earlier code does not open the later owner's account", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const [lookAlike] = LOOK_ALIKES;
  const otp = await requestCode(app, project, "code/request", lookAlike!);
  const kate = await signUp(project, { email: KATE });
  await assertTraceless(app, project, async () => {
    for (const email of [lookAlike, KATE]) {
      const answer = await project.asPublic(userCall("code/verify", { email, otp }));
      refused(answer, 400, "INVALID_CODE");
    }
  }, [CODES]);
  assert.ok(await isSignedIn(project, kate));
});

Deno.test("look-alike username: other alphabets are refused, and letter case does not matter", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await signUp(project, { username: "kate" });
  await assertTraceless(app, project, async () => {
    for (const username of ["\u212Aate", "kаte", "ka\u200Bte", "kate ", "ｋａｔｅ", "kate\u0000"]) {
      const body = { email: ADA, password: PASSWORD, username };
      refused(await project.asPublic(userCall("signup", body)), 400, "INVALID_BODY", "username");
    }
    for (const username of ["KATE", "Kate"]) {
      const body = { email: ADA, password: PASSWORD, username };
      refused(await project.asPublic(userCall("signup", body)), 409, "USERNAME_TAKEN");
    }
  });
});

Deno.test("plus-addresses: each is a separate address, stored and used as given", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const emails = [
    "ada@example.com",
    "ada+one@example.com",
    "Ada+Two@example.com",
    "a.da@example.com",
  ];
  const ids = new Set<string>();
  for (const email of emails) {
    const user = await signUp(project, { email });
    assert.equal(user.email, email);
    ids.add(user.id);
  }
  assert.equal(ids.size, 4);
  assert.deepEqual((await sentMails(app, project)).map(([, to]) => to), emails);
  refused(await logIn(project, "ada+three@example.com"), 401, "INVALID_CREDENTIALS");
});

const FORBIDDEN: Readonly<Record<string, unknown>> = {
  _id: "0123456789abcdef01234567",
  roles: ["admin"],
  claims: { plan: "pro" },
  emailVerified: true,
  emailLower: "eve@example.com",
  usernameLower: "eve",
  providers: [{ provider: "github", providerUserId: "1", linkedAt: "2026-01-31T12:00:00.000Z" }],
  passwordHash: "$argon2id$v=19$m=19456,t=2,p=1$AAAA$AAAA",
  disabled: false,
  isAnonymous: true,
  ownMembers: [],
  fields: { plan: "pro" },
  "fields.plan": "pro",
  lastSignInAt: null,
  createdAt: "2020-01-01T00:00:00.000Z",
  updatedAt: "2020-01-01T00:00:00.000Z",
  $set: { roles: ["admin"] },
  constructor: { prototype: {} },
};

Deno.test("mass assignment: sign-up refuses members that users may not set", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await assertTraceless(app, project, async () => {
    for (const [name, value] of Object.entries(FORBIDDEN)) {
      const body = { email: ADA, password: PASSWORD, [name]: value };
      const answer = await project.asPublic(userCall("signup", body));
      assert.equal(answer.status, 400, name);
    }
  });
  const inherited = `"__proto__":{"roles":["admin"],"emailVerified":true}`;
  const raw = `{"email":"${ADA}","password":"${PASSWORD}",${inherited}}`;
  const user = userOf(await project.asPublic(userCall("signup", raw, HEADER_MODE)), 201);
  const { roles, emailVerified } = await storedUser(app, project, user.id);
  assert.deepEqual([roles, emailVerified], [undefined, false]);
  assert.deepEqual([claimsOf(user.token).roles, claimsOf(user.token).claims], [
    undefined,
    undefined,
  ]);
});

Deno.test("mass assignment: PATCH /me and update-profile refuse them, addresses and passwords", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signUp(project);
  const more = { ...FORBIDDEN, email: "eve@example.com", password: NEXT_PASSWORD };
  await assertTraceless(app, project, async () => {
    for (const [name, value] of Object.entries(more)) {
      for (const [method, path] of [["PATCH", "me"], ["PUT", "update-profile"]] as const) {
        const call = { ...userCall(path, { name: "Eve", [name]: value }), method };
        assert.equal((await project.asPublic(call, user)).status, 400, `${path} ${name}`);
      }
    }
  });
});

Deno.test("mass assignment: other operations accept only their own members", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { anonymous: true });
  const user = await signUp(project, { email: ADA });
  const bodies: [string, Record<string, unknown>][] = [
    ["login", { email: ADA, password: PASSWORD }],
    ["code/request", { email: ADA }],
    ["code/verify", { email: ADA, otp: "123456" }],
    ["verify-email", { email: ADA, otp: "123456" }],
    ["reset-password", { email: ADA, otp: "123456", newPassword: NEXT_PASSWORD }],
    ["confirm-email-change", { otp: "123456" }],
  ];
  await assertTraceless(app, project, async () => {
    for (const [operation, body] of bodies) {
      for (const [name, value] of Object.entries({ ...FORBIDDEN, userId: user.id })) {
        const answer = await project.asPublic(
          userCall(operation, { ...body, [name]: value }),
          user,
        );
        assert.equal(answer.status, 400, `${operation} ${name}`);
        assert.notEqual(answer.body.code, "INVALID_CODE", `${operation} ${name}`);
      }
    }
  });
  const guest = await project.asPublic(userCall("anonymous", { roles: ["admin"] }, HEADER_MODE));
  assert.deepEqual(ok(guest, 201).user.roles, []);
});

Deno.test("a declared field named like an internal member does not reach it", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const keys = ["passwordHash", "emailLower", "ownMembers", "fields", "usernameLower"];
  await declareFields(app, project, ...keys.map((key) => ({ key, type: "String" })));
  const set = Object.fromEntries(keys.map((key) => [key, "mine"]));
  const user = await signUp(project, { email: ADA, ...set });
  const stored = await storedUser(app, project, user.id);
  assert.deepEqual([stored.emailLower, stored.ownMembers, stored.fields], [ADA, [], set]);
  assert.match(stored.passwordHash!, /^\$argon2id\$/);
  const call = { method: "PATCH", path: "/api/userAuth/me", body: { passwordHash: "x" } };
  const me = await project.asPublic(call, user);
  assert.equal(ok(me).passwordHash, "x");
  assert.ok(!me.text.includes("argon2"));
  ok(await logIn(project, ADA));
});

Deno.test("anonymous upgrade: an existing address is refused, and the guest stays anonymous", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { anonymous: true });
  const ada = await signUp(project, { email: ADA });
  const guest = await createGuest(project);
  await app.services.jobRunner.idle();
  app.clock.advance(2 * MINUTE_MS);
  await assertTraceless(app, project, async () => {
    for (const email of [ADA, "ADA@example.com"]) {
      const call = userCall("signup", { email, password: NEXT_PASSWORD });
      refused(await project.asPublic(call, guest), 409, "EMAIL_TAKEN");
    }
  });
  await setAuth(app, project, { requireVerifiedEmail: true });
  const before = await storedUsers(app, project);
  const call = userCall("signup", { email: ADA, password: NEXT_PASSWORD });
  assert.deepEqual(ok(await project.asPublic(call, guest), 201), { verificationRequired: true });
  assert.deepEqual(await storedUsers(app, project), before);
  assert.ok(await isSignedIn(project, guest));
  assert.ok(await isSignedIn(project, ada));
  await setAuth(app, project, { requireVerifiedEmail: false });
  ok(await logIn(project, ADA));
});

Deno.test("anonymous upgrade: another user's token creates a new user and changes nothing of theirs", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const bob = await signUp(project, { email: "bob@example.com" });
  const before = await storedUser(app, project, bob.id);
  const ada = await signUp(project, { email: ADA }, bob);
  assert.notEqual(ada.id, bob.id);
  assert.deepEqual(await storedUser(app, project, bob.id), before);
});

Deno.test("closed sign-up: no operation creates a user, by password, code, guest or provider", async () => {
  await using fixture = await openSignInFixture();
  const { app } = fixture;
  const project = await fixture.project();
  const otp = await requestCode(app, project, "code/request", ADA);
  await setAuth(app, project, { signUp: "closed", anonymous: true });
  await app.services.jobRunner.idle();
  app.clock.advance(MINUTE_MS);
  await assertTraceless(app, project, async () => {
    const signingUp = userCall("signup", { email: ADA, password: PASSWORD });
    refused(await project.asPublic(signingUp), 403, "SIGN_UP_CLOSED");
    refused(await project.asSecret(signingUp), 403, "SIGN_UP_CLOSED");
    refused(await project.asPublic(userCall("anonymous")), 403, "SIGN_UP_CLOSED");
    ok(await project.asPublic(userCall("code/request", { email: "new@example.com" })));
    const byCode = userCall("code/verify", { email: ADA, otp });
    refused(await project.asPublic(byCode), 400, "INVALID_CODE");
    for (const provider of ["github", "google"] as const) {
      const arrival = await fixture.browser().signIn(project, provider, "bob");
      assertFailedWith(arrival, "This project takes no new users");
    }
  }, [CODES]);
  assert.deepEqual(await storedUsers(app, project), []);
});

Deno.test("closed sign-up: a provider sign-in that started before is refused", async () => {
  await using fixture = await openSignInFixture();
  const project = await fixture.project();
  const browser = fixture.browser();
  const providerUrl = new URL((await browser.start(project, "github")).headers.get("location")!);
  const back = await fixture.github.approve(providerUrl, "bob");
  await setAuth(fixture.app, project, { signUp: "closed" });
  const answer = await browser.comeBack(back);
  const error = new URL(answer.headers.get("location")!).searchParams.get("error");
  assert.equal(error, "This project takes no new users");
  assert.deepEqual(await storedUsers(fixture.app, project), []);
});

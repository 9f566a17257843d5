import assert from "node:assert/strict";
import { openTestApp, type TestProject } from "../support/test_app.ts";
import { whileBusy } from "./passwords_full.ts";
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
  requestCode,
  sentMails,
  storedUsers,
  userCall,
} from "./user_email.ts";

const callOf = (body: unknown) => userCall("users", body);
const create = (project: TestProject, body: unknown) => project.asSecret(callOf(body));

Deno.test("createUser creates a user as given, who can sign in, and sends no mail", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await declareFields(app, project, { key: "company", type: "String" }, {
    key: "theme",
    type: "String",
    default: "dark",
  });
  const given = {
    email: "Ada@Example.com",
    emailVerified: true,
    name: "Ada",
    username: "ada",
    avatarUrl: "https://example.com/a.png",
    roles: ["editor", "team:1"],
    claims: { plan: "pro" },
    company: "Engines",
  };
  const answer = await create(project, { ...given, password: PASSWORD });
  const { _id, ...user } = ok(answer, 201);
  const now = "2026-01-31T12:00:00.000Z";
  assert.deepEqual(user, {
    ...given,
    theme: "dark",
    disabled: false,
    isAnonymous: false,
    providers: [],
    createdAt: now,
    updatedAt: now,
    lastSignInAt: null,
  });
  assert.ok(!answer.text.includes("argon2"));
  const data = ok(await logIn(project, ADA));
  assert.equal(data.userId, _id);
  assert.deepEqual(claimsOf(data.accessToken).roles, given.roles);
  assert.deepEqual(claimsOf(data.accessToken).claims, given.claims);
  assert.deepEqual(await sentMails(app, project), []);
});

Deno.test("createUser needs no address or password, and works while sign-up is closed", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { signUp: "closed" });
  const { email, emailVerified, isAnonymous } = ok(await create(project, {}), 201);
  assert.deepEqual([email, emailVerified, isAnonymous], [null, false, false]);
  const { _id } = ok(await create(project, { email: ADA, emailVerified: true }), 201);
  refused(await logIn(project, ADA), 401, "INVALID_CREDENTIALS");
  const otp = await requestCode(app, project, "code/request", ADA);
  const call = userCall("code/verify", { email: ADA, otp }, HEADER_MODE);
  assert.equal(ok(await project.asPublic(call)).userId, _id);
});

Deno.test("createUser can create a disabled user, who cannot sign in", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const body = { email: ADA, password: PASSWORD, disabled: true };
  assert.equal(ok(await create(project, body), 201).disabled, true);
  refused(await logIn(project, ADA), 401, "INVALID_CREDENTIALS");
});

Deno.test("createUser refuses a taken address or username in any letter case", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  ok(await create(project, { email: ADA, username: "ada" }), 201);
  await assertTraceless(app, project, async () => {
    refused(await create(project, { email: "ADA@example.com" }), 409, "EMAIL_TAKEN");
    refused(await create(project, { username: "ADA" }), 409, "USERNAME_TAKEN");
  });
});

Deno.test("exactly one of 50 concurrent createUser requests with one address succeeds", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const answers = await Promise.all(times(50, () => create(project, { email: ADA })));
  assert.deepEqual(tally(answers), { 201: 1, 409: 49 });
  assert.equal((await storedUsers(app, project)).length, 1);
});

Deno.test("createUser refuses invalid members by name and creates no user", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await declareFields(app, project, { key: "company", type: "String", required: true });
  const wrong: [unknown, string][] = [
    [{}, "company"],
    [{ company: null }, "company"],
    [{ company: "E", other: 1 }, "other"],
    [{ company: "E", email: "ada" }, "email"],
    [{ company: "E", emailVerified: "yes" }, "emailVerified"],
    [{ company: "E", disabled: null }, "disabled"],
    [{ company: "E", password: "" }, "password"],
    [{ company: "E", username: "ab" }, "username"],
    [{ company: "E", roles: "admin" }, "roles"],
    [{ company: "E", roles: ["two words"] }, "roles"],
    [{ company: "E", roles: ["x".repeat(51)] }, "roles"],
    [{ company: "E", roles: times(21, (i) => `r${i}`) }, "roles"],
    [{ company: "E", claims: [] }, "claims"],
    [{ company: "E", claims: { text: "x".repeat(1024) } }, "1024"],
    [{ company: "E", claims: { text: "€".repeat(400) } }, "1024 bytes"],
    [{ company: "E", passwordHash: "x" }, "passwordHash"],
    [{ company: "E", isAnonymous: true }, "isAnonymous"],
    [{ company: "E", providers: [] }, "providers"],
    [{ company: "E", _id: "0123456789abcdef01234567" }, "_id"],
    [[], "object"],
  ];
  await assertTraceless(app, project, async () => {
    for (const [body, says] of wrong) {
      refused(await create(project, body), 400, "INVALID_BODY", says);
    }
  });
  ok(await create(project, { company: "E", roles: times(20, (i) => `r${i}`) }), 201);
});

Deno.test("createUser refuses invalid passwords, and is 503 while too many are hashed", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { passwordLengthMin: 12 });
  await assertTraceless(app, project, async () => {
    for (const password of ["11 letters.", "x".repeat(201), "password1234"]) {
      refused(await create(project, { email: ADA, password }), 400, "INVALID_PASSWORD");
    }
    const call = callOf({ email: ADA, password: NEXT_PASSWORD });
    const server = { ...project, publishableKey: project.secretKey };
    const busy = await whileBusy(app, server, call);
    refused(busy, 503, "PASSWORDS_BUSY");
    assert.equal(busy.headers.get("retry-after"), "2");
  });
});

Deno.test("createUser stores a password while passwords are off", async () => {
  await using app = await openTestApp();
  const project = await authProject(app, { password: false });
  ok(await create(project, { email: ADA, password: PASSWORD }), 201);
  refused(await logIn(project, ADA), 403, "SIGN_IN_METHOD_OFF");
});

Deno.test("createUser requires the secret key", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await project.user();
  await assertTraceless(app, project, async () => {
    for (const caller of [undefined, user]) {
      const answer = await project.asPublic(callOf({ email: ADA }), caller);
      refused(answer, 403, "SECRET_KEY_REQUIRED");
    }
  });
});

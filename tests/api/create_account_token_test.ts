import assert from "node:assert/strict";
import { ACCOUNT_TOKENS, type AccountTokenRecord } from "@/lib/accounts/token_records.ts";
import { resetPassword } from "@/lib/accounts/manage_accounts.ts";
import { sha256 } from "@/lib/crypto/hashes.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import { maintain } from "@/routes/maintenance.ts";
import {
  createOwnedProject,
  createToken,
  openAccount,
  PASSWORD,
  signInAgain,
  type TestAccount,
} from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { authCall, NEXT_PASSWORD, requestCode } from "./account_email.ts";
import { ok, refused, tally, times, UNKNOWN_ID } from "./test_collection.ts";
import { openTeam } from "./team.ts";

const PATH = "/api/auth/tokens";
const DAY = 86_400_000;
const GIVEN = { name: "Deployment", access: "read", projects: "all" };

const create = (account: TestAccount, body: unknown) => account.send({ path: PATH, body });

const records = ({ services: { engine } }: TestApp) =>
  engine.records<AccountTokenRecord>("control", ACCOUNT_TOKENS);

Deno.test("createAccountToken returns a token once, stores its hash and expires it as requested", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId } = await createOwnedProject(account);
  const input = { ...GIVEN, projects: [projectId.toUpperCase(), projectId], expiresInDays: 30 };
  const answer = await create(account, input);
  const { token, id, ...details } = ok(answer, 201);
  assert.match(token, /^corbel_pat_[A-Za-z0-9_-]{43}$/);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.deepEqual(details, {
    name: "Deployment",
    access: "read",
    projects: [projectId],
    lastFour: token.slice(-4),
    createdAt: "2026-01-31T12:00:00.000Z",
    expiresAt: "2026-03-02T12:00:00.000Z",
    lastUsedAt: null,
  });
  const { value } = (await records(app).get(id))!;
  assert.equal(value.tokenHash, sha256(token));
  assert.ok(!JSON.stringify(value).includes(token));
  const ask = () =>
    app.send({ path: "/api/auth/me", headers: { authorization: `bearer ${token}` } });
  app.clock.advance(30 * DAY - 1);
  assert.equal(ok(await ask()).email, account.email);
  app.clock.advance(1);
  refused(await ask(), 401, "ACCOUNT_TOKEN_INVALID");
  app.clock.advance(1);
  await maintain(app.services);
  assert.equal(await records(app).count(ALL), 0);
});

Deno.test("createAccountToken expires a token after 90 days by default", async () => {
  await using app = await openTestApp();
  const { expiresAt } = ok(await create(await openAccount(app), GIVEN), 201);
  assert.equal(expiresAt, "2026-05-01T12:00:00.000Z");
});

Deno.test("createAccountToken refuses malformed bodies with a remedy and stores nothing", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const wrong: [unknown, string][] = [
    [{}, "name"],
    [{ ...GIVEN, name: "" }, "1 to 100"],
    [{ ...GIVEN, name: " " }, "name"],
    [{ ...GIVEN, name: "two\nlines" }, "one line"],
    [{ ...GIVEN, name: "x".repeat(101) }, "1 to 100"],
    [{ ...GIVEN, name: 1 }, "name"],
    [{ ...GIVEN, access: "admin" }, "read or write"],
    [{ ...GIVEN, access: undefined }, "read or write"],
    [{ ...GIVEN, projects: undefined }, '"projects"'],
    [{ ...GIVEN, projects: "some" }, '"projects"'],
    [{ ...GIVEN, projects: [] }, '"projects"'],
    [{ ...GIVEN, projects: ["x"] }, '"projects"'],
    [{ ...GIVEN, projects: times(101, () => UNKNOWN_ID) }, "1 to 100"],
    [{ ...GIVEN, expiresInDays: 0 }, "1 to 366"],
    [{ ...GIVEN, expiresInDays: 367 }, "1 to 366"],
    [{ ...GIVEN, expiresInDays: 1.5 }, "1 to 366"],
    [{ ...GIVEN, expiresInDays: "30" }, "1 to 366"],
    [{ ...GIVEN, accountId: UNKNOWN_ID }, "only name, access, projects, expiresInDays"],
  ];
  for (const [body, says] of wrong) refused(await create(account, body), 400, "INVALID_BODY", says);
  assert.equal(await records(app).count(ALL), 0);
});

Deno.test("createAccountToken refuses unknown, foreign and deleted projects identically", async () => {
  await using app = await openTestApp();
  const { owner, stranger, path, projectId } = await openTeam(app);
  const own = await createOwnedProject(stranger);
  const texts = new Set<string>();
  const assertRefused = async (account: TestAccount, projects: readonly string[]) => {
    const answer = await create(account, { ...GIVEN, projects });
    refused(answer, 404, "PROJECT_NOT_FOUND");
    texts.add(answer.text);
  };
  await assertRefused(stranger, [UNKNOWN_ID]);
  await assertRefused(stranger, [projectId]);
  await assertRefused(stranger, [own.projectId, projectId]);
  ok(await owner.send({ method: "DELETE", path: path(), body: { name: "Test" } }));
  await assertRefused(owner, [projectId]);
  assert.equal(texts.size, 1);
  assert.equal(await records(app).count(ALL), 0);
});

Deno.test("createAccountToken limits an account to 50 valid tokens, even concurrently", async () => {
  await using app = await openTestApp();
  const [account, other] = [await openAccount(app), await openAccount(app)];
  const body = { ...GIVEN, expiresInDays: 1 };
  for (let n = 0; n < 40; n++) ok(await create(account, body), 201);
  const answers = await Promise.all(times(20, () => create(account, body)));
  assert.deepEqual(tally(answers), { 201: 10, 409: 10 });
  refused(await create(account, body), 409, "TOKEN_LIMIT_REACHED", "50");
  ok(await create(other, body), 201);
  app.clock.advance(DAY);
  ok(await create(account, body), 201);
});

Deno.test("a token has its account's current rights, and ends with the account", async () => {
  await using app = await openTestApp();
  const { owner, viewer, path, projectId } = await openTeam(app);
  const token = await createToken(viewer, { projects: [projectId] });
  const rename = () => token.send({ method: "PATCH", path: path(), body: { name: "Renamed" } });
  refused(await rename(), 403, "ROLE_REQUIRED");
  const change = { path: path(`/members/${viewer.accountId}`) };
  ok(await owner.send({ ...change, method: "PATCH", body: { role: "admin" } }));
  ok(await rename());
  ok(await owner.send({ ...change, method: "DELETE" }));
  refused(await rename(), 404, "PROJECT_NOT_FOUND");
  const deletion = { method: "DELETE", path: "/api/auth/account", body: { password: PASSWORD } };
  ok(await viewer.send(deletion));
  refused(await rename(), 401, "ACCOUNT_TOKEN_INVALID");
  assert.equal(await records(app).count(ALL), 0);
});

Deno.test("a token for some projects lists only these and cannot create projects", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const [one, two] = [await createOwnedProject(account), await createOwnedProject(account)];
  const listed = async (token: Awaited<ReturnType<typeof createToken>>, query = "") => {
    const { items, nextCursor } = ok(await token.send({ path: `/api/projects${query}` }));
    return { ids: items.map((item: { projectId: string }) => item.projectId), nextCursor };
  };
  const some = await createToken(account, { projects: [one.projectId] });
  const all = await createToken(account);
  assert.deepEqual((await listed(some)).ids, [one.projectId]);
  const { ids, nextCursor } = await listed(all, "?limit=1");
  assert.deepEqual(ids, [two.projectId]);
  const query = `?limit=1&cursor=${nextCursor}`;
  assert.deepEqual((await listed(all, query)).ids, [one.projectId]);
  refused(await some.send({ path: `/api/projects${query}` }), 400, "INVALID_CURSOR");
  const call = { path: "/api/projects", body: { name: "Third" } };
  refused(await some.send(call), 403, "TOKEN_SCOPE_EXCEEDED", 'for "all"');
  ok(await all.send(call), 201);
});

Deno.test("resetting the password ends all tokens of the account", async () => {
  await using app = await openTestApp();
  const [account, other] = [await openAccount(app), await openAccount(app)];
  const kept = await createToken(other);
  const { email } = account;
  const resets = [
    async () => {
      const otp = await requestCode(app, "request-password-reset", email);
      ok(await app.send(authCall("reset-password", { email, otp, newPassword: NEXT_PASSWORD })));
    },
    async () => void await resetPassword(app.services, { email, password: PASSWORD }),
  ];
  let password = PASSWORD;
  for (const reset of resets) {
    const signedIn = await signInAgain({ ...account, password });
    const tokens = [await createToken(signedIn), await createToken(signedIn, { access: "read" })];
    await reset();
    password = NEXT_PASSWORD;
    for (const token of tokens) {
      refused(await token.send({ path: "/api/auth/me" }), 401, "ACCOUNT_TOKEN_INVALID");
    }
  }
  ok(await kept.send({ path: "/api/auth/me" }));
});

Deno.test("changing the password leaves tokens valid", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const token = await createToken(account);
  const change = { currentPassword: PASSWORD, newPassword: NEXT_PASSWORD };
  ok(await account.send(authCall("change-password", change)));
  ok(await token.send({ path: "/api/auth/me" }));
});

Deno.test("a concurrent reset of the password leaves no token", async () => {
  await using app = await openTestApp();
  const { services } = app;
  for (let round = 0; round < 10; round++) {
    const account = await openAccount(app);
    const { email, accountId } = account;
    const [answers] = await Promise.all([
      Promise.all(times(10, () => create(account, GIVEN))),
      resetPassword(services, { email, password: NEXT_PASSWORD }),
    ]);
    assert.equal(await records(app).count(eq("accountId", accountId)), 0);
    for (const answer of answers) {
      if (answer.status !== 201) refused(answer, 401, "SIGN_IN_REQUIRED");
    }
  }
});

Deno.test("requests with an account token do not count towards the project's usage", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { projectId } = await createOwnedProject(account);
  const token = await createToken(account);
  ok(await token.send({ path: `/api/projects/${projectId}` }));
  await app.services.requestCounts.store();
  const { requests } = ok(await token.send({ path: `/api/projects/${projectId}/usage` }));
  assert.ok(requests.minutes.every((one: { requests: number }) => one.requests === 0));
});

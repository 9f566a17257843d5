import assert from "node:assert/strict";
import { ACCOUNT_SESSIONS, type AccountSessionRecord } from "@/lib/accounts/session_records.ts";
import { sha256 } from "@/lib/crypto/hashes.ts";
import type { Services } from "@/lib/services.ts";
import { ALL } from "@/lib/store/filter.ts";
import { createApp } from "@/routes/app.ts";
import { send } from "../support/conforming_client.ts";
import { openAccount, PASSWORD, sessionCookieOf } from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";

const signIn = (app: TestApp, body: unknown, headers: Record<string, string> = {}) =>
  app.send({ path: "/api/auth/login", body, headers });

const sessions = ({ services }: TestApp) =>
  services.engine.records<AccountSessionRecord>("control", ACCOUNT_SESSIONS);

Deno.test("signInAccount returns the account and sets a session, for any letter case of the e-mail", async () => {
  await using app = await openTestApp();
  const { accountId } = await openAccount(app, { email: "ada@example.com" });
  for (const email of ["ada@example.com", "Ada@Example.COM"]) {
    const answer = await signIn(app, { email, password: PASSWORD });
    assert.equal(ok(answer).accountId, accountId);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    const headers = { cookie: sessionCookieOf(answer)! };
    assert.equal(ok(await app.send({ path: "/api/auth/me", headers })).accountId, accountId);
  }
});

Deno.test("the session cookie is HttpOnly, SameSite and valid for 7 days", async () => {
  const publicUrls = ["http://localhost:8000", "https://corbel.example.com"];
  const [plain, secure] = await Promise.all(publicUrls.map(async (PUBLIC_URL) => {
    await using app = await openTestApp({ env: { PUBLIC_URL } });
    await openAccount(app, { email: "ada@example.com" });
    const answer = await signIn(app, { email: "ada@example.com", password: PASSWORD });
    const [cookie] = answer.headers.getSetCookie();
    return cookie!.replace(/=[\w-]{43};/, "=…;");
  }));
  assert.equal(plain, "corbel_session=…; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax");
  assert.equal(
    secure,
    "__Host-corbel_session=…; Path=/; Max-Age=604800; Secure; HttpOnly; SameSite=Lax",
  );
});

Deno.test("each sign-in has its own session, whatever cookies the browser sends", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const { email, password } = account;
  const seen = new Set([account.cookie]);
  const planted = "corbel_session=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";
  for (const cookie of ["", account.cookie, planted]) {
    const answer = await signIn(app, { email, password }, { cookie });
    seen.add(sessionCookieOf(answer)!);
  }
  assert.equal(seen.size, 4);
  refused(
    await app.send({ path: "/api/auth/me", headers: { cookie: planted } }),
    401,
    "SIGN_IN_REQUIRED",
  );
});

Deno.test("a session stores only the token's hash, the device's name and its network", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: "ada@example.com" });
  const body = { email: "ada@example.com", password: PASSWORD };
  const answer = await app.send({
    path: "/api/auth/login",
    body,
    headers: { "user-agent": "Test/1.0" },
    peer: "203.0.113.77",
  });
  const token = sessionCookieOf(answer)!.split("=")[1]!;
  const page = await sessions(app).list({ filter: ALL, sort: [], limit: 10 });
  assert.ok(!page.items.includes(token));
  assert.ok(page.items.includes(sha256(token)));
  assert.ok(page.items.includes('"address":"203.0.113.0"'));
  assert.ok(page.items.includes('"userAgent":"Test/1.0"'));
});

Deno.test("an unknown e-mail and a wrong password get the same refusal without a session", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: "ada@example.com" });
  const before = await sessions(app).count(ALL);
  const wrong = [
    { email: "ada@example.com", password: "another password" },
    { email: "ada@example.com", password: PASSWORD.toUpperCase() },
    { email: "ada@example.com", password: `${PASSWORD} ` },
    { email: "bob@example.com", password: PASSWORD },
    { email: "bob@example.com", password: "x" },
    { email: "no address", password: PASSWORD },
    { email: "ada@example.com", password: "x".repeat(10_000) },
    { email: "ada@example.com\u0000", password: PASSWORD },
  ];
  const texts = new Set<string>();
  for (const body of wrong) {
    const answer = await signIn(app, body);
    refused(answer, 401, "CREDENTIALS_INVALID");
    assert.deepEqual(answer.headers.getSetCookie(), []);
    texts.add(answer.text);
  }
  assert.equal(texts.size, 1);
  assert.equal(await sessions(app).count(ALL), before);
});

Deno.test("a body without e-mail or password, or with more members, is 400", async () => {
  await using app = await openTestApp();
  const email = "ada@example.com";
  const wrong: [unknown, string][] = [
    [{ email }, "password"],
    [{ password: PASSWORD }, "email"],
    [{ email, password: "" }, "password"],
    [{ email, password: null }, "password"],
    [{ email: [email], password: PASSWORD }, "email"],
    [{ email: { $ne: null }, password: PASSWORD }, "email"],
    [{ email, password: PASSWORD, plan: "pro" }, "only email, password"],
  ];
  for (const [body, name] of wrong) refused(await signIn(app, body), 400, "INVALID_BODY", name);
});

Deno.test("a password is hashed for an unknown e-mail as for a known one", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: "ada@example.com" });
  const looked: boolean[] = [];
  const services: Services = {
    ...app.services,
    passwords: {
      ...app.services.passwords,
      verify(hash, password) {
        looked.push(hash !== null);
        return app.services.passwords.verify(hash, password);
      },
    },
  };
  const served = createApp(services);
  for (const email of ["ada@example.com", "bob@example.com"]) {
    const body = { email, password: "another password" };
    refused(await send(served, { path: "/api/auth/login", body }), 401, "CREDENTIALS_INVALID");
  }
  assert.deepEqual(looked, [true, false]);
});

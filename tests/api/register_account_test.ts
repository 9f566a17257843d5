import assert from "node:assert/strict";
import { openAccount, PASSWORD, sessionCookieOf } from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { ok, refused } from "./shelf.ts";

const register = (app: TestApp, body: unknown) => app.send({ path: "/api/auth/register", body });

Deno.test("registering makes an account on the free plan and signs it in", async () => {
  await using app = await openTestApp();
  const answer = await register(app, { email: "Ada@Example.com", password: PASSWORD, name: "Ada" });
  const account = ok(answer, 201);
  assert.deepEqual(account, {
    accountId: account.accountId,
    email: "Ada@Example.com",
    name: "Ada",
    plan: "free",
    hasAiKey: false,
    createdAt: "2026-01-31T12:00:00.000Z",
  });
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const cookie = sessionCookieOf(answer)!;
  assert.deepEqual(ok(await app.send({ path: "/api/auth/me", headers: { cookie } })), account);
});

Deno.test("an e-mail that is taken is 409, in whatever letter case", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: "ada@example.com" });
  for (const email of ["ada@example.com", "ADA@EXAMPLE.COM"]) {
    const answer = await register(app, { email, password: PASSWORD });
    refused(answer, 409, "ACCOUNT_EXISTS");
    assert.equal(sessionCookieOf(answer), null);
  }
});

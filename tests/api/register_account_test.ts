import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { ALL, eq } from "@/lib/store/filter.ts";
import { openAccount, PASSWORD, sessionCookieOf } from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { ok, refused, tally, times } from "./test_collection.ts";

const register = (app: TestApp, body: unknown) => app.send({ path: "/api/auth/register", body });

const accounts = ({ services }: TestApp) =>
  services.engine.records<AccountRecord>("control", ACCOUNTS);

Deno.test("registerAccount creates an account on the free plan and signs it in", async () => {
  await using app = await openTestApp();
  const answer = await register(app, { email: "Ada@Example.com", password: PASSWORD, name: "Ada" });
  const account = ok(answer, 201);
  assert.deepEqual(account, {
    accountId: account.accountId,
    email: "Ada@Example.com",
    emailVerified: false,
    name: "Ada",
    plan: "free",
    hasAiKey: false,
    createdAt: "2026-01-31T12:00:00.000Z",
  });
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const cookie = sessionCookieOf(answer)!;
  assert.deepEqual(ok(await app.send({ path: "/api/auth/me", headers: { cookie } })), account);
});

Deno.test("a name may be omitted or null", async () => {
  await using app = await openTestApp();
  for (const [i, name] of [undefined, null].entries()) {
    const answer = await register(app, { email: `${i}@example.com`, password: PASSWORD, name });
    assert.equal(ok(answer, 201).name, null);
  }
});

Deno.test("only the argon2id hash of a password is stored, and equal passwords have different hashes", async () => {
  await using app = await openTestApp();
  const hashes = new Set<string>();
  // Tests share the hash of the other password.
  const password = "eight dry leaves 52";
  for (const email of ["ada@example.com", "bob@example.com"]) {
    ok(await register(app, { email, password }), 201);
    const { json, value } = (await accounts(app).findOne(eq("emailLower", email)))!;
    assert.ok(!json.includes(password));
    assert.match(value.passwordHash!, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    hashes.add(value.passwordHash!);
  }
  assert.equal(hashes.size, 2);
});

Deno.test("a taken e-mail is 409 in any letter case", async () => {
  await using app = await openTestApp();
  await openAccount(app, { email: "ada@example.com" });
  for (const email of ["ada@example.com", "ADA@EXAMPLE.COM"]) {
    const answer = await register(app, { email, password: PASSWORD });
    refused(answer, 409, "ACCOUNT_EXISTS");
    assert.equal(sessionCookieOf(answer), null);
  }
});

Deno.test("of several concurrent registrations with one e-mail exactly one succeeds", async () => {
  await using app = await openTestApp();
  const answers = await Promise.all(times(10, (n) => {
    const email = n % 2 === 0 ? "ada@example.com" : "Ada@example.com";
    return register(app, { email, password: PASSWORD });
  }));
  assert.deepEqual(tally(answers), { 201: 1, 409: 9 });
  assert.equal(await accounts(app).count(ALL), 1);
});

Deno.test("a short, long or common password or the e-mail itself is refused, without an account", async () => {
  await using app = await openTestApp();
  const email = "grace.hopper@example.com";
  const refusals: [string, string][] = [
    ["a", "8 to 200 characters"],
    ["1234567", "8 to 200 characters"],
    ["😀😀😀😀😀😀😀", "8 to 200 characters"],
    ["x".repeat(201), "8 to 200 characters"],
    ["half \ud800 of a pair", "surrogate"],
    ["nul \u0000 in it", "U+0000"],
    ["password", "guessed first"],
    ["Password123!", "guessed first"],
    ["P@ssw0rd", "guessed first"],
    ["12345678", "guessed first"],
    ["qwertyuiop", "guessed first"],
    ["iloveyou", "guessed first"],
    ["grace.hopper", "guessed first"],
    ["Grace.Hopper@example.com", "guessed first"],
  ];
  for (const [password, says] of refusals) {
    const answer = await register(app, { email, password });
    refused(answer, 400, "INVALID_PASSWORD", says);
  }
  assert.equal(await accounts(app).count(ALL), 0);
});

Deno.test("passwords of 8 and of 200 characters are accepted, with any characters", async () => {
  await using app = await openTestApp();
  const passwords = [
    "äöüßéèñç",
    "x7".repeat(100),
    "😀🚀🌍🎈🐙🍄🧭🪁",
    "correct horse battery staple",
  ];
  for (const [i, password] of passwords.entries()) {
    const email = `${i}@example.com`;
    ok(await register(app, { email, password }), 201);
    ok(await app.send({ path: "/api/auth/login", body: { email, password } }));
  }
});

Deno.test("a body of another shape is 400 and names the error", async () => {
  await using app = await openTestApp();
  const good = { email: "ada@example.com", password: PASSWORD };
  const wrong: [object, string][] = [
    [{ ...good, email: "" }, "email"],
    [{ ...good, email: "ada" }, "email"],
    [{ ...good, email: "ada@example.com, eve@example.com" }, "email"],
    [{ ...good, email: "ada@exa\u0000mple.com" }, "email"],
    [{ ...good, email: 1 }, "email"],
    [{ password: PASSWORD }, "email"],
    [{ email: good.email }, "password"],
    [{ ...good, password: 12345678 }, "password"],
    [{ ...good, name: 1 }, "name"],
    [{ ...good, name: " " }, "name"],
    [{ ...good, name: "x".repeat(201) }, "name"],
    [{ ...good, name: "a\nb" }, "name"],
    [{ ...good, plan: "pro" }, "only email, password, name"],
    [{ ...good, __proto__: null, ["constructor"]: 1 }, "only email, password, name"],
  ];
  for (const [body, name] of wrong) refused(await register(app, body), 400, "INVALID_BODY", name);
  assert.equal(await accounts(app).count(ALL), 0);
});

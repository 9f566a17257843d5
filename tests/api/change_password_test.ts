import assert from "node:assert/strict";
import { openAccount, PASSWORD, signInAgain, type TestAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused, tally, times } from "./test_collection.ts";

const NEXT = "eight dry leaves 52";

const change = (account: TestAccount, body: unknown) =>
  account.send({ path: "/api/auth/change-password", body });

const signIn = ({ app, email }: TestAccount, password: string) =>
  app.send({ path: "/api/auth/login", body: { email, password } });

Deno.test("changePassword replaces the password and ends all other sessions", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const others = [await signInAgain(account), await signInAgain(account)];
  const stranger = await openAccount(app);
  const body = { currentPassword: PASSWORD, newPassword: NEXT };
  assert.deepEqual(ok(await change(account, body)), { ended: 2 });
  for (const other of others) {
    refused(await other.send({ path: "/api/auth/me" }), 401, "SIGN_IN_REQUIRED");
  }
  for (const one of [account, stranger]) ok(await one.send({ path: "/api/auth/me" }));
  refused(await signIn(account, PASSWORD), 401, "CREDENTIALS_INVALID");
  ok(await signIn(account, NEXT));
});

Deno.test("changePassword refuses a wrong current password and changes nothing", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const other = await signInAgain(account);
  for (const currentPassword of [NEXT, `${PASSWORD} `, "x"]) {
    refused(await change(account, { currentPassword, newPassword: NEXT }), 403, "PASSWORD_WRONG");
  }
  ok(await other.send({ path: "/api/auth/me" }));
  ok(await signIn(account, PASSWORD));
});

Deno.test("changePassword refuses a password that could not be registered", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const local = account.email.split("@")[0]!;
  for (const newPassword of ["short", "x".repeat(201), "password1", account.email, local]) {
    const answer = await change(account, { currentPassword: PASSWORD, newPassword });
    refused(answer, 400, "INVALID_PASSWORD");
  }
  ok(await signIn(account, PASSWORD));
});

Deno.test("changePassword refuses malformed bodies", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const wrong: [unknown, string][] = [
    [{ currentPassword: PASSWORD }, "newPassword"],
    [{ newPassword: NEXT }, "currentPassword"],
    [{ currentPassword: 1, newPassword: NEXT }, "currentPassword"],
    [
      { currentPassword: PASSWORD, newPassword: NEXT, email: "x" },
      "only currentPassword, newPassword",
    ],
  ];
  for (const [body, name] of wrong) {
    refused(await change(account, body), 400, "INVALID_BODY", name);
  }
});

Deno.test("exactly one of several concurrent changes of a password succeeds", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const nexts = times(4, (n) => `${NEXT} ${n}`);
  const answers = await Promise.all(
    nexts.map((newPassword) => change(account, { currentPassword: PASSWORD, newPassword })),
  );
  assert.deepEqual(tally(answers), { 200: 1, 403: 3 });
  const winner = answers.findIndex(({ status }) => status === 200);
  for (const [n, next] of nexts.entries()) {
    assert.equal((await signIn(account, next)).status, n === winner ? 200 : 401);
  }
});

Deno.test("a sign-in with the old password during changePassword leaves no session", async () => {
  await using app = await openTestApp();
  for (let round = 0; round < 5; round++) {
    const account = await openAccount(app);
    const [changed, ...signedIn] = await Promise.all([
      change(account, { currentPassword: PASSWORD, newPassword: NEXT }),
      ...times(3, () => signIn(account, PASSWORD)),
    ]);
    ok(changed!);
    for (const answer of signedIn) {
      if (answer.status === 401) continue;
      ok(answer);
      const cookie = answer.headers.getSetCookie()[0]!.split(";")[0]!;
      const me = await app.send({ path: "/api/auth/me", headers: { cookie } });
      refused(me, 401, "SIGN_IN_REQUIRED");
    }
  }
});

import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { ALL } from "@/lib/store/filter.ts";
import { openTestServices } from "@/tests/support/test_services.ts";
import { findAccountSession } from "./account_sessions.ts";
import { findTokenHolder } from "./account_tokens.ts";
import { createAccountToken } from "./manage_tokens.ts";
import { signInAccount } from "./sign_in.ts";
import {
  closeDemoAccount,
  createDemoAccount,
  DEMO_EMAIL,
  findDemoAccount,
  openDemoAccount,
} from "./demo_account.ts";
import { resetPassword } from "./manage_accounts.ts";
import { createAccount } from "./register_account.ts";

const PASSWORD = "seven wet stones 41";
const VISITOR = {
  device: { userAgent: null, address: null },
  network: "203.0.113.9",
  cookies: null,
};

Deno.test("closeDemoAccount forbids sign-in until dev opens it or its password is changed", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const account = { email: DEMO_EMAIL, password: PASSWORD, name: "Demo", plan: "free" } as const;
  await createAccount(services, { ...account, isDemo: true });
  const enter = (password = PASSWORD) =>
    signInAccount(services, { email: DEMO_EMAIL, password }, VISITOR);
  const signedIn = async () => (await findAccountSession(services, (await enter()).token))!;
  const { token } = await createAccountToken(services, await signedIn(), {
    name: "Test",
    access: "read",
    projects: "all",
    expiresInDays: 1,
  });
  assert.notEqual(await findTokenHolder(services, token), null);
  assert.equal(await closeDemoAccount(services), true);
  assert.equal(await findTokenHolder(services, token), null);
  await assert.rejects(enter(), { code: "CREDENTIALS_INVALID" });
  assert.equal(await closeDemoAccount(services), true, "again at every start");
  await openDemoAccount(services);
  await enter();
  await closeDemoAccount(services);
  const password = "another wet stone 42";
  await resetPassword(services, { email: DEMO_EMAIL, password });
  assert.equal(await closeDemoAccount(services), false);
  await enter(password);
});

Deno.test("closeDemoAccount ignores a normal account with the demo address", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const account = { email: DEMO_EMAIL, password: PASSWORD, name: "Demo", plan: "free" } as const;
  await createAccount(services, account);
  assert.equal(await closeDemoAccount(services), false);
  await signInAccount(services, account, VISITOR);
});

Deno.test("findDemoAccount returns the sealed password until it is changed", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  assert.equal(await findDemoAccount(services), null);
  const { accountId: _id, ...created } = await createDemoAccount(services);
  await signInAccount(services, { email: created.email, password: created.password! }, VISITOR);
  assert.deepEqual(await findDemoAccount(services), created);
  const stored = services.engine.records<AccountRecord>("control", ACCOUNTS);
  assert.ok(!JSON.stringify((await stored.findOne(ALL))!.value).includes(created.password!));
  await resetPassword(services, { email: DEMO_EMAIL, password: PASSWORD });
  assert.deepEqual(await findDemoAccount(services), { email: DEMO_EMAIL, password: null });
  assert.equal((await stored.findOne(ALL))!.value.sealedDemoPassword, undefined);
});

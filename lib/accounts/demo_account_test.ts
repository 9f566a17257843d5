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

Deno.test("a demo account is let in by dev alone, and with a password of its owner's by both", async () => {
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
  assert.equal(await closeDemoAccount(services), true, "as often as it is started");
  await openDemoAccount(services);
  await enter();
  await closeDemoAccount(services);
  const password = "another wet stone 42";
  await resetPassword(services, { email: DEMO_EMAIL, password });
  assert.equal(await closeDemoAccount(services), false);
  await enter(password);
});

Deno.test("an account that a person made under that address is no demo", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  const account = { email: DEMO_EMAIL, password: PASSWORD, name: "Demo", plan: "free" } as const;
  await createAccount(services, account);
  assert.equal(await closeDemoAccount(services), false);
  await signInAccount(services, account, VISITOR);
});

Deno.test("the password of the demo account can be told again until it has another, and is kept sealed", async () => {
  await using opened = await openTestServices();
  const { services } = opened;
  assert.equal(await findDemoAccount(services), null);
  const { accountId: _id, ...made } = await createDemoAccount(services);
  await signInAccount(services, { email: made.email, password: made.password! }, VISITOR);
  assert.deepEqual(await findDemoAccount(services), made);
  const stored = services.engine.records<AccountRecord>("control", ACCOUNTS);
  assert.ok(!JSON.stringify((await stored.findOne(ALL))!.value).includes(made.password!));
  await resetPassword(services, { email: DEMO_EMAIL, password: PASSWORD });
  assert.deepEqual(await findDemoAccount(services), { email: DEMO_EMAIL, password: null });
  assert.equal((await stored.findOne(ALL))!.value.sealedDemoPassword, undefined);
});

import assert from "node:assert/strict";
import { createTestStore } from "../support/test_store.ts";
import { admin, runAdmin, type Server, startServer } from "./server.ts";

const EMAIL = "ada@example.com";
const [FIRST, SECOND] = ["seven wet stones 41", "eight dry leaves 52"];

async function signIn({ url, http }: Server, password: string) {
  const response = await fetch(`${url}/api/auth/login`, {
    client: http,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: EMAIL, password }),
  });
  const { data } = await response.json();
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return { status: response.status, account: data, cookie };
}

async function isSignedIn({ url, http }: Server, cookie: string): Promise<boolean> {
  const response = await fetch(`${url}/api/auth/me`, { client: http, headers: { cookie } });
  await response.body?.cancel();
  return response.status === 200;
}

Deno.test("account commands create accounts, change plans and restore access while a server runs", async () => {
  await using server = await startServer();
  const { settings } = server;
  const about = (action: string) => ["account", action, "--email", EMAIL];
  const { accountId } = await admin([...about("create"), "--plan", "pro"], settings, `${FIRST}\n`);
  assert.match(accountId, /^[0-9a-f]{24}$/);
  const first = await signIn(server, FIRST);
  assert.equal(first.status, 200);
  assert.deepEqual([first.account.accountId, first.account.plan], [accountId, "pro"]);

  const { accounts, nextCursor } = await admin(["account", "list"], settings);
  assert.deepEqual([accounts.length, nextCursor], [1, null]);
  assert.deepEqual(
    [accounts[0].accountId, accounts[0].email, accounts[0].plan],
    [accountId, EMAIL, "pro"],
  );
  assert.doesNotMatch(JSON.stringify(accounts), /argon2|passwordHash|sealed/);

  const planned = await admin([...about("plan"), "--plan", "free"], settings);
  assert.deepEqual(planned, { accountId, plan: "free" });
  assert.equal((await signIn(server, FIRST)).account.plan, "free");

  const words = ["account", "password", "--email", EMAIL.toUpperCase()];
  assert.deepEqual(await admin(words, settings, `${SECOND}\nmore\n`), { accountId });
  assert.equal(await isSignedIn(server, first.cookie), false, "all sessions have ended");
  assert.equal((await signIn(server, FIRST)).status, 401);
  assert.equal((await signIn(server, SECOND)).status, 200);
});

Deno.test("account commands refuse invalid input and never repeat a password", async () => {
  await using store = await createTestStore();
  const { settings } = store;
  const create = (email: string, password: string, ...more: string[]) =>
    runAdmin(["account", "create", "--email", email, ...more], settings, `${password}\n`);
  assert.equal((await create(EMAIL, FIRST)).code, 0);
  const refusals = [
    [await create(EMAIL, SECOND), "ACCOUNT_EXISTS"],
    [await create("no address", SECOND), "INVALID_BODY"],
    [await create("bob@example.com", "Tr0ub4d"), "INVALID_PASSWORD"],
    [await create("bob@example.com", "Sunshine2024"), "INVALID_PASSWORD"],
    [await create("bob@example.com", ""), "INVALID_PASSWORD"],
    [await create("bob@example.com", SECOND, "--plan", "gold"), "INVALID_INPUT"],
    [await runAdmin(["account", "password"], settings, SECOND), "INVALID_INPUT"],
    [
      await runAdmin(["account", "password", "--email", "bob@example.com"], settings, SECOND),
      "ACCOUNT_NOT_FOUND",
    ],
    [
      await runAdmin(["account", "plan", "--email", "bob@example.com", "--plan", "pro"], settings),
      "ACCOUNT_NOT_FOUND",
    ],
    [await runAdmin(["account", "plan", "--email", EMAIL], settings), "INVALID_INPUT"],
  ] as const;
  for (const [{ code, stdout, stderr }, problem] of refusals) {
    assert.equal(code, 1, stderr);
    assert.equal(stdout, "");
    assert.match(stderr, new RegExp(`\\(${problem}\\)`));
    assert.ok(!/stones|leaves|Tr0ub4d|Sunshine/.test(stderr), stderr);
  }
});

import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { aiKeyBinding } from "@/lib/ai/keys.ts";
import { eq } from "@/lib/store/filter.ts";
import { createOwnedProject, openAccount, type TestAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { refused } from "./test_collection.ts";

const PATH = "/api/user/me/byok";
const KEY = "gsk_planted-and-never-seen-again";

const put = (account: TestAccount, body: unknown) =>
  account.send({ method: "PUT", path: PATH, body });

const sealedOf = async ({ app, accountId }: TestAccount): Promise<string | null> =>
  (await app.services.engine.records<AccountRecord>("control", ACCOUNTS).get(accountId))!.value
    .sealedAiKey;

Deno.test("a key is sealed for its account, reported by hasAiKey, and never returned", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { plan: "pro" });
  const answer = await put(account, { aiKey: KEY });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.body, {
    success: true,
    data: { hasAiKey: true },
    message: "AI key saved",
  });
  const sealed = (await sealedOf(account))!;
  assert.ok(!sealed.includes("planted"));
  const { keyRing } = app.services;
  assert.equal(await keyRing.open(sealed, aiKeyBinding("account", account.accountId)), KEY);
  for (const path of ["/api/user/me", "/api/auth/me"]) {
    const me = await account.send({ path });
    assert.equal(me.body.data.hasAiKey, true);
    assert.ok(!me.text.includes("gsk_") && !me.text.includes(sealed));
  }
});

Deno.test("a sealed key opens for no other account, project or purpose", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { plan: "pro" });
  const other = await openAccount(app, { plan: "pro" });
  await put(account, { aiKey: KEY });
  const sealed = (await sealedOf(account))!;
  const { keyRing } = app.services;
  const id = account.accountId;
  for (
    const binding of [
      aiKeyBinding("account", other.accountId),
      aiKeyBinding("project", id),
      { project: id, purpose: "access-token-key" },
    ]
  ) await assert.rejects(keyRing.open(sealed, binding));
});

Deno.test("a new key replaces the former one, and null clears it", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { plan: "pro" });
  await put(account, { aiKey: KEY });
  const before = await sealedOf(account);
  await put(account, { aiKey: "gsk_another" });
  assert.notEqual(await sealedOf(account), before);
  const cleared = await put(account, { aiKey: null });
  assert.deepEqual(cleared.body.data, { hasAiKey: false });
  assert.equal(await sealedOf(account), null);
  assert.equal((await account.send({ path: "/api/user/me" })).body.data.hasAiKey, false);
});

Deno.test("a key begins with gsk_, has up to 200 characters, and cannot end a header", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { plan: "pro" });
  const wrong = [
    ...["", "sk-1234", "GSK_1234", " gsk_1234", "xgsk_1234", "gsk-1234", "gsk"],
    ...[`gsk_${"x".repeat(197)}`, "gsk_a b", "gsk_a\r\nx-evil: 1", "gsk_a\n", "gsk_ä", "gsk_\0"],
  ];
  for (const aiKey of wrong) {
    const answer = await put(account, { aiKey });
    refused(answer, 400, "AI_KEY_MALFORMED");
    assert.equal(answer.body.message, "Invalid key format; key must start with gsk_");
  }
  for (const body of [{}, { aiKey: 7 }, { aiKey: [KEY] }, { aiKey: true }, [], { key: KEY }]) {
    refused(await put(account, body), 400, "INVALID_BODY");
  }
  assert.equal(await sealedOf(account), null);
  for (const aiKey of [`gsk_${"x".repeat(196)}`, "gsk_~!"]) {
    assert.equal((await put(account, { aiKey })).status, 200, aiKey);
  }
});

Deno.test("a plan without the capability refuses a new key, but clears one", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const answer = await put(account, { aiKey: KEY });
  refused(answer, 403, "PRO_PLAN_REQUIRED");
  assert.equal(answer.body.message, "Feature requires the Pro plan; upgrade");
  assert.equal(await sealedOf(account), null);
  refused(await put(account, { aiKey: "sk-1" }), 400, "AI_KEY_MALFORMED");
  assert.equal((await put(account, { aiKey: null })).status, 200);
});

Deno.test("a key whose plan lost the capability stays and can be cleared", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { plan: "pro" });
  await put(account, { aiKey: KEY });
  await app.services.engine.records<AccountRecord>("control", ACCOUNTS)
    .updateOne(eq("_id", account.accountId), { set: { plan: "free" } });
  assert.equal((await account.send({ path: "/api/user/me" })).body.data.hasAiKey, true);
  refused(await put(account, { aiKey: "gsk_new" }), 403, "PRO_PLAN_REQUIRED");
  assert.deepEqual((await put(account, { aiKey: null })).body.data, { hasAiKey: false });
});

Deno.test("neither an API key nor another site can set an account's key", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app, { plan: "pro" });
  const { secretKey } = await createOwnedProject(account);
  const call = { method: "PUT", path: PATH, body: { aiKey: KEY } };
  const headers = { "x-api-key": secretKey };
  refused(await app.send({ ...call, headers }), 401, "SIGN_IN_REQUIRED");
  const foreign = { ...call, headers: { origin: "https://evil.example" } };
  refused(await account.send(foreign), 403, "CROSS_SITE_REQUEST");
  assert.equal(await sealedOf(account), null);
});

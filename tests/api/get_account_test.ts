import assert from "node:assert/strict";
import { type AccountRecord, ACCOUNTS } from "@/lib/projects/account_records.ts";
import { eq } from "@/lib/store/filter.ts";
import { openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";

for (const path of ["/api/auth/me", "/api/user/me"]) {
  Deno.test(`getAccount at ${path} returns the plan and whether an AI key is set, and not the key`, async () => {
    await using app = await openTestApp();
    const account = await openAccount(app, { plan: "pro", email: "ada@example.com" });
    const accounts = app.services.engine.records<AccountRecord>("control", ACCOUNTS);
    await accounts.updateOne(eq("_id", account.accountId), { set: { sealedAiKey: "sealed" } });
    const answer = await account.send({ path });
    assert.deepEqual(ok(answer), {
      accountId: account.accountId,
      email: "ada@example.com",
      emailVerified: false,
      name: null,
      plan: "pro",
      hasAiKey: true,
      createdAt: "2026-01-31T12:00:00.000Z",
    });
    assert.ok(!/sealed|argon2/.test(answer.text));
  });

  Deno.test(`getAccount at ${path} refuses a request without a session`, async () => {
    await using app = await openTestApp();
    refused(await app.send({ path }), 401, "SIGN_IN_REQUIRED");
  });
}

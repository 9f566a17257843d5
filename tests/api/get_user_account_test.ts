import assert from "node:assert/strict";
import { openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok } from "./test_collection.ts";

Deno.test("getUserAccount returns what getAccount returns", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const [one, other] = await Promise.all(
    ["/api/user/me", "/api/auth/me"].map((path) => account.send({ path })),
  );
  assert.equal(ok(one!).accountId, account.accountId);
  assert.equal(one!.text, other!.text);
});

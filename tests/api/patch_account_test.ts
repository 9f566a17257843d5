import assert from "node:assert/strict";
import { openAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { assertTraceless } from "./account_email.ts";
import { openTeam, patchCall } from "./team.ts";
import { ok, refused } from "./test_collection.ts";

const rename = (name: unknown) => patchCall("/api/auth/me", { name });

Deno.test("an account sets a name, which its projects' members see, and clears it", async () => {
  await using app = await openTestApp();
  const team = await openTeam(app);
  assert.equal(ok(await team.admin.send(rename("Grace Hopper"))).name, "Grace Hopper");
  const { items } = ok(await team.owner.send({ path: team.path("/members") }));
  const its = items.find((one: { accountId: string }) => one.accountId === team.admin.accountId);
  assert.equal(its.name, "Grace Hopper");
  assert.equal(ok(await team.admin.send(rename(null))).name, null);
  const other = ok(await team.owner.send({ path: "/api/auth/me" }));
  assert.notEqual(other.name, "Grace Hopper");
});

Deno.test("an invalid name is 400 and changes nothing", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  await assertTraceless(app, async () => {
    for (const name of ["", "  ", "a\nb", "x".repeat(201), 5, undefined]) {
      refused(await account.send(rename(name)), 400, "INVALID_BODY");
    }
    const more = patchCall("/api/auth/me", { name: "Ada", plan: "pro" });
    refused(await account.send(more), 400, "INVALID_BODY");
    refused(await app.send(rename("Ada")), 401, "SIGN_IN_REQUIRED");
  });
});

import assert from "node:assert/strict";
import { createToken, openAccount, type TestAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";

const remove = (account: TestAccount, id: string) =>
  account.send({ method: "DELETE", path: `/api/auth/tokens/${id}` });

Deno.test("deleteAccountToken ends one token at once and no other", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const [lost, kept] = [await createToken(account), await createToken(account)];
  const ask = { path: "/api/auth/me" };
  ok(await lost.send(ask));
  assert.deepEqual(ok(await remove(account, lost.id.toUpperCase())), { id: lost.id });
  refused(await lost.send(ask), 401, "ACCOUNT_TOKEN_INVALID");
  ok(await kept.send(ask));
});

Deno.test("deleteAccountToken gives foreign, deleted, expired and unknown tokens an identical 404", async () => {
  await using app = await openTestApp();
  const [ann, bob] = [await openAccount(app), await openAccount(app)];
  const expired = await createToken(ann, { expiresInDays: 1 });
  app.clock.advance(86_400_000);
  const foreign = await createToken(bob);
  const deleted = await createToken(ann);
  ok(await remove(ann, deleted.id));
  const texts = new Set<string>();
  for (const id of [UNKNOWN_ID, foreign.id, deleted.id, expired.id]) {
    const answer = await remove(ann, id);
    refused(answer, 404, "TOKEN_NOT_FOUND");
    texts.add(answer.text);
  }
  assert.equal(texts.size, 1);
  ok(await foreign.send({ path: "/api/auth/me" }));
});

Deno.test("deleteAccountToken refuses a malformed id", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  for (const id of ["x", "0123", `${UNKNOWN_ID}0`]) {
    refused(await remove(account, id), 400, "INVALID_ID");
  }
});

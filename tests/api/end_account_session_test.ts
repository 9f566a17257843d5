import { openAccount, signInAgain, type TestAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import assert from "node:assert/strict";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";

const end = (account: TestAccount, id: string) =>
  account.send({ method: "DELETE", path: `/api/auth/sessions/${id}` });

const ownId = async (account: TestAccount): Promise<string> => {
  const { items } = ok(await account.send({ path: "/api/auth/sessions" }));
  return items.find(({ current }: { current: boolean }) => current)._id;
};

const isSignedIn = async (account: TestAccount) =>
  (await account.send({ path: "/api/auth/me" })).status === 200;

Deno.test("endAccountSession ends one session at once, even the caller's own", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const [lost, kept] = [await signInAgain(account), await signInAgain(account)];
  const id = await ownId(lost);
  assert.deepEqual(ok(await end(account, id.toUpperCase())), { id });
  assert.deepEqual(await Promise.all([lost, kept, account].map(isSignedIn)), [false, true, true]);
  ok(await end(account, await ownId(account)));
  assert.equal(await isSignedIn(account), false);
});

Deno.test("endAccountSession gives foreign, ended, expired and unknown sessions an identical 404", async () => {
  await using app = await openTestApp();
  const [ann, bob] = [await openAccount(app), await openAccount(app)];
  const expired = await ownId(await signInAgain(ann));
  app.clock.advance(6 * 86_400_000);
  const foreign = await ownId(bob);
  await ann.send({ path: "/api/auth/me" });
  app.clock.advance(86_400_000);
  const ended = await ownId(await signInAgain(ann));
  ok(await end(ann, ended));
  const texts = new Set<string>();
  for (const id of [UNKNOWN_ID, foreign, ended, expired]) {
    const answer = await end(ann, id);
    refused(answer, 404, "SESSION_NOT_FOUND");
    texts.add(answer.text);
  }
  assert.equal(texts.size, 1);
  assert.ok(await isSignedIn(bob));
});

Deno.test("endAccountSession refuses a malformed id", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  for (const id of ["x", "0123", `${UNKNOWN_ID}0`]) {
    refused(await end(account, id), 400, "INVALID_ID");
  }
});

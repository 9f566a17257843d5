import assert from "node:assert/strict";
import { openAccount, PASSWORD, signInAgain, type TestAccount } from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";

const PATH = "/api/auth/sessions";
const DAY_MS = 86_400_000;

const list = async (account: TestAccount, query = "") =>
  ok(await account.send({ path: `${PATH}${query}` }));

Deno.test("listAccountSessions returns the account's sessions, newest first, with the current one", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  await openAccount(app);
  app.clock.advance(1000);
  const answer = await app.send({
    path: "/api/auth/login",
    body: { email: account.email, password: PASSWORD },
    headers: { "user-agent": "Test/1.0" },
    peer: "2001:db8:1:2::7",
  });
  ok(answer);
  const { items, nextCursor } = await list(account);
  assert.equal(nextCursor, null);
  assert.deepEqual(items, [
    {
      _id: items[0]._id,
      createdAt: "2026-01-31T12:00:01.000Z",
      lastUsedAt: "2026-01-31T12:00:01.000Z",
      expiresAt: "2026-02-07T12:00:01.000Z",
      userAgent: "Test/1.0",
      address: "2001:db8:1::",
      current: false,
    },
    {
      _id: items[1]._id,
      createdAt: "2026-01-31T12:00:00.000Z",
      lastUsedAt: "2026-01-31T12:00:00.000Z",
      expiresAt: "2026-02-07T12:00:00.000Z",
      userAgent: null,
      address: "127.0.0.0",
      current: true,
    },
  ]);
  assert.ok(!answer.text.includes("tokenHash"));
});

Deno.test("listAccountSessions returns the last use with a precision of an hour", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  app.clock.advance(3_600_000);
  assert.equal((await list(account)).items[0].lastUsedAt, "2026-01-31T12:00:00.000Z");
  app.clock.advance(1000);
  await list(account);
  const [session] = (await list(account)).items;
  assert.equal(session.lastUsedAt, "2026-01-31T13:00:01.000Z");
  assert.equal(session.expiresAt, "2026-02-07T13:00:01.000Z");
});

Deno.test("listAccountSessions omits ended and expired sessions", async () => {
  await using app = await openTestApp();
  const old = await openAccount(app);
  app.clock.advance(DAY_MS);
  const ended = await signInAgain(old);
  ok(await ended.send({ method: "POST", path: "/api/auth/logout" }));
  app.clock.advance(6 * DAY_MS);
  const fresh = await signInAgain(old);
  assert.equal((await list(fresh)).items.length, 1);
});

Deno.test("listAccountSessions returns each session once over all pages", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  for (let n = 0; n < 4; n++) await signInAgain(account);
  const seen: string[] = [];
  let query = "?limit=2";
  for (;;) {
    const { items, nextCursor } = await list(account, query);
    seen.push(...items.map(({ _id }: { _id: string }) => _id));
    if (nextCursor === null) break;
    app.clock.advance(1000);
    query = `?limit=2&cursor=${nextCursor}`;
  }
  assert.equal(seen.length, 5);
  assert.deepEqual(seen, seen.toSorted().toReversed());
});

Deno.test("listAccountSessions refuses an invalid or foreign cursor", async () => {
  await using app = await openTestApp();
  const [ann, bob] = [await openAccount(app), await openAccount(app)];
  await signInAgain(ann);
  const { nextCursor } = await list(ann, "?limit=1");
  assert.notEqual(nextCursor, null);
  const read = (cursor: string) => bob.send({ path: `${PATH}?cursor=${cursor}` });
  for (const cursor of ["", "x", nextCursor]) refused(await read(cursor), 400, "INVALID_CURSOR");
});

Deno.test("listAccountSessions refuses an unknown, invalid or repeated parameter and names it", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const wrong: [string, string][] = [
    ["?limit=0", "limit"],
    ["?limit=1001", "limit"],
    ["?limit=1&limit=2", "limit"],
    ["?accountId=x", "accountId"],
  ];
  for (const [query, name] of wrong) {
    refused(await account.send({ path: `${PATH}${query}` }), 400, "INVALID_QUERY", name);
  }
});

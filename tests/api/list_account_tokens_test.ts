import assert from "node:assert/strict";
import {
  createOwnedProject,
  createToken,
  openAccount,
  type TestAccount,
} from "../support/dashboard.ts";
import { openTestApp } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";

const PATH = "/api/auth/tokens";

const list = async (account: TestAccount, query = "") =>
  ok(await account.send({ path: `${PATH}${query}` }));

Deno.test("listAccountTokens returns the account's tokens, newest first, without the secrets", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  await createToken(await openAccount(app));
  const { projectId } = await createOwnedProject(account);
  const all = await createToken(account);
  app.clock.advance(1000);
  const one = await createToken(account, {
    access: "read",
    projects: [projectId],
    expiresInDays: 7,
  });
  const answer = await account.send({ path: PATH });
  const common = { name: "Test", lastUsedAt: null };
  assert.deepEqual(ok(answer), {
    items: [
      {
        ...common,
        id: one.id,
        access: "read",
        projects: [projectId],
        lastFour: one.token.slice(-4),
        createdAt: "2026-01-31T12:00:01.000Z",
        expiresAt: "2026-02-07T12:00:01.000Z",
      },
      {
        ...common,
        id: all.id,
        access: "write",
        projects: "all",
        lastFour: all.token.slice(-4),
        createdAt: "2026-01-31T12:00:00.000Z",
        expiresAt: "2026-05-01T12:00:00.000Z",
      },
    ],
    nextCursor: null,
  });
  for (const { token } of [one, all]) assert.ok(!answer.text.includes(token.slice(0, -4)));
});

Deno.test("listAccountTokens returns the first use at once, and later uses by the hour", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  const token = await createToken(account);
  const lastUsedAt = async () => (await list(account)).items[0].lastUsedAt;
  const use = () => token.send({ path: "/api/auth/me" });
  await use();
  assert.equal(await lastUsedAt(), "2026-01-31T12:00:00.000Z");
  app.clock.advance(3_600_000);
  await use();
  assert.equal(await lastUsedAt(), "2026-01-31T12:00:00.000Z");
  app.clock.advance(1);
  await use();
  assert.equal(await lastUsedAt(), "2026-01-31T13:00:00.001Z");
});

Deno.test("listAccountTokens omits deleted and expired tokens", async () => {
  await using app = await openTestApp();
  const account = await openAccount(app);
  await createToken(account, { expiresInDays: 1 });
  const { id } = await createToken(account);
  const valid = await createToken(account);
  ok(await account.send({ method: "DELETE", path: `${PATH}/${id}` }));
  app.clock.advance(86_400_000);
  const { items } = await list(account);
  assert.deepEqual(items.map((one: { id: string }) => one.id), [valid.id]);
});

Deno.test("listAccountTokens returns each token once over all pages, and refuses a foreign cursor", async () => {
  await using app = await openTestApp();
  const [ann, bob] = [await openAccount(app), await openAccount(app)];
  const tokens = [await createToken(ann), await createToken(ann), await createToken(ann)];
  const first = await list(ann, "?limit=2");
  const second = await list(ann, `?limit=2&cursor=${first.nextCursor}`);
  const seen = [...first.items, ...second.items].map(({ id }: { id: string }) => id);
  assert.deepEqual(seen.toSorted(), tokens.map(({ id }) => id).toSorted());
  assert.equal(second.nextCursor, null);
  for (const cursor of ["", "x", first.nextCursor]) {
    refused(await bob.send({ path: `${PATH}?cursor=${cursor}` }), 400, "INVALID_CURSOR");
  }
  refused(await ann.send({ path: `${PATH}?limit=0` }), 400, "INVALID_QUERY", "limit");
});

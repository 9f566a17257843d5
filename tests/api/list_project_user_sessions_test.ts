import assert from "node:assert/strict";
import { openTestApp } from "../support/test_app.ts";
import { signIn } from "./signed_in.ts";
import { ok, refused, UNKNOWN_ID } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";

const list = (id: string, query = "") => ({ path: `/users/${id}/sessions${query}` });

Deno.test("listProjectUserSessions returns the user's sessions, newest first, to every member", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const first = await signIn(app, owner.project);
  app.clock.advance(1000);
  const second = await signIn(app, owner.project, first.id);
  await signIn(app, owner.project);
  const session = {
    userAgent: "Test/1.0",
    address: "203.0.113.0",
    current: false,
  };
  const expected = {
    items: [
      {
        ...session,
        _id: second.sessionId,
        createdAt: "2026-01-31T12:00:01.000Z",
        lastUsedAt: "2026-01-31T12:00:01.000Z",
        expiresAt: "2026-03-02T12:00:01.000Z",
      },
      {
        ...session,
        _id: first.sessionId,
        createdAt: "2026-01-31T12:00:00.000Z",
        lastUsedAt: "2026-01-31T12:00:00.000Z",
        expiresAt: "2026-03-02T12:00:00.000Z",
      },
    ],
    nextCursor: null,
  };
  assert.deepEqual(ok(await owner.as("viewer", list(first.id))), expected);
  assert.deepEqual(ok(await owner.asOwner(list(first.id))), expected);
});

Deno.test("listProjectUserSessions omits ended sessions", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const user = await signIn(app, owner.project);
  ok(await owner.asOwner({ method: "DELETE", path: `/users/${user.id}/sessions` }));
  assert.deepEqual(ok(await owner.asOwner(list(user.id))), { items: [], nextCursor: null });
});

Deno.test("listProjectUserSessions returns pages and refuses the cursor of another user", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const first = await signIn(app, owner.project);
  const second = await signIn(app, owner.project, first.id);
  const other = await signIn(app, owner.project);
  const { items, nextCursor } = ok(await owner.asOwner(list(first.id, "?limit=1")));
  assert.deepEqual(items.map(({ _id }: { _id: string }) => _id), [second.sessionId]);
  const nextPage = `?limit=1&cursor=${nextCursor}`;
  const rest = ok(await owner.asOwner(list(first.id, nextPage)));
  assert.deepEqual(rest.items.map(({ _id }: { _id: string }) => _id), [first.sessionId]);
  assert.equal(rest.nextCursor, null);
  refused(await owner.asOwner(list(other.id, nextPage)), 400, "INVALID_CURSOR");
  refused(await owner.asOwner(list(first.id, "?cursor=x")), 400, "INVALID_CURSOR");
});

Deno.test("listProjectUserSessions returns one 404 for unknown and foreign users", async () => {
  await using app = await openTestApp();
  const owner = await createTestOwner(app);
  const foreign = await signIn(app, await app.project());
  refused(await owner.asOwner(list(UNKNOWN_ID)), 404, "USER_NOT_FOUND");
  refused(await owner.asOwner(list(foreign.id)), 404, "USER_NOT_FOUND");
  refused(await owner.asOwner(list("x")), 400, "INVALID_ID");
  refused(await owner.asOwner(list(UNKNOWN_ID, "?limit=0")), 400, "INVALID_QUERY", "limit");
});

import assert from "node:assert/strict";
import { type SessionRecord, SESSIONS } from "@/lib/auth/sessions.ts";
import { eq } from "@/lib/store/filter.ts";
import type { Id } from "@/lib/store/port.ts";
import { openTestApp, type TestProject, type TestUser } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";
import { refreshed, signIn } from "./signed_in.ts";

const PATH = "/api/userAuth/sessions";
const DAY_MS = 86_400_000;

interface ListedSession {
  readonly _id: Id;
  readonly current: boolean;
}

const list = (project: TestProject, user: TestUser, query = "") =>
  project.asPublic({ path: `${PATH}${query}` }, user);

const idsOf = (data: { items: ListedSession[] }): Id[] => data.items.map(({ _id }) => _id);

Deno.test("listSessions returns the user's sessions, newest first, with the current one", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const first = await signIn(app, project);
  app.clock.advance(1000);
  const second = await signIn(app, project, first.id);
  await signIn(app, project);
  app.clock.advance(60_000);
  await refreshed(project, first.refreshToken);
  const opened = "2026-01-31T12:00:00.000Z";
  const device = { userAgent: "Test/1.0", address: "203.0.113.0" };
  assert.deepEqual(ok(await list(project, first)), {
    items: [
      {
        _id: second.sessionId,
        createdAt: "2026-01-31T12:00:01.000Z",
        lastUsedAt: "2026-01-31T12:00:01.000Z",
        expiresAt: "2026-03-02T12:00:01.000Z",
        ...device,
        current: false,
      },
      {
        _id: first.sessionId,
        createdAt: opened,
        lastUsedAt: "2026-01-31T12:01:01.000Z",
        expiresAt: "2026-03-02T12:01:01.000Z",
        ...device,
        current: true,
      },
    ],
    nextCursor: null,
  });
});

Deno.test("listSessions returns the complete shape for a record of an earlier version", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const sessions = app.services.engine.records<SessionRecord>(project.projectId, SESSIONS);
  await sessions.updateOne(eq("_id", user.sessionId), {
    unset: ["lastUsedAt", "userAgent", "address"],
  });
  const [session] = ok(await list(project, user)).items;
  assert.deepEqual(
    [session.lastUsedAt, session.userAgent, session.address],
    [session.createdAt, null, null],
  );
});

Deno.test("listSessions omits ended and expired sessions", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const old = await signIn(app, project);
  app.clock.advance(DAY_MS);
  const ended = await signIn(app, project, old.id);
  ok(await project.asPublic({ method: "POST", path: "/api/userAuth/logout" }, ended));
  app.clock.advance(29 * DAY_MS);
  const fresh = await signIn(app, project, old.id);
  assert.deepEqual(idsOf(ok(await list(project, fresh))), [fresh.sessionId]);
});

Deno.test("listSessions returns each session once over all pages, also while time passes", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const first = await signIn(app, project);
  const opened = [first.sessionId];
  for (let n = 0; n < 6; n++) opened.push((await signIn(app, project, first.id)).sessionId);
  const seen: Id[] = [];
  let query = "?limit=3";
  for (;;) {
    const data = ok(await list(project, first, query));
    assert.ok(data.items.length <= 3);
    seen.push(...idsOf(data));
    if (data.nextCursor === null) break;
    app.clock.advance(1000);
    query = `?limit=3&cursor=${data.nextCursor}`;
  }
  assert.deepEqual(seen, opened.toReversed());
});

Deno.test("listSessions refuses an invalid or foreign cursor", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const [ann, bob] = [await signIn(app, project), await signIn(app, project)];
  await signIn(app, project, ann.id);
  const { nextCursor } = ok(await list(project, ann, "?limit=1"));
  assert.notEqual(nextCursor, null);
  refused(await list(project, bob, `?cursor=${nextCursor}`), 400, "INVALID_CURSOR");
  for (const cursor of ["", "x", `${nextCursor}x`]) {
    refused(await list(project, ann, `?cursor=${cursor}`), 400, "INVALID_CURSOR");
  }
  const users = await project.asSecret({ path: `/api/userAuth/users?cursor=${nextCursor}` });
  refused(users, 400, "INVALID_CURSOR");
});

Deno.test("listSessions refuses an unknown, invalid or repeated parameter and names it", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  const wrong: [string, string][] = [
    ["?limit=0", "limit"],
    ["?limit=1001", "limit"],
    ["?limit=x", "limit"],
    ["?limit=1&limit=2", "limit"],
    ["?page=1", "page"],
    ["?userId=x", "userId"],
    ["?__proto__=x", "__proto__"],
  ];
  for (const [query, name] of wrong) {
    refused(await list(project, user, query), 400, "INVALID_QUERY", name);
  }
});

Deno.test("listSessions requires an access token and a publishable key", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  refused(await project.asPublic({ path: PATH }), 401, "ACCESS_TOKEN_REQUIRED");
  refused(await project.asSecret({ path: PATH }), 403, "PUBLISHABLE_KEY_REQUIRED");
});

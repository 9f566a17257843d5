import assert from "node:assert/strict";
import { createUser } from "@/lib/auth/create_user.ts";
import type { Id } from "@/lib/store/port.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";
import { signIn } from "./signed_in.ts";
import { tooSlowApp } from "./too_slow_app.ts";

const PATH = "/api/userAuth/users";

/** Creates users with these e-mails, a second apart, and returns their ids in that order. */
async function addUsers(app: TestApp, project: TestProject, ...emails: string[]): Promise<Id[]> {
  const ids: Id[] = [];
  for (const email of emails) {
    app.clock.advance(1000);
    ids.push(await createUser(app.services, project.projectId, { email, verified: false }));
  }
  return ids;
}

const list = (project: TestProject, query = "") => project.asSecret({ path: `${PATH}${query}` });

/** Returns the ids of the users that a query lists. */
async function listIds(project: TestProject, query = ""): Promise<Id[]> {
  return ok(await list(project, query)).items.map(({ _id }: { _id: Id }) => _id);
}

Deno.test("listUsers returns the project's users, newest first, in the form for servers", async () => {
  await using app = await openTestApp();
  const [project, stranger] = [await app.project(), await app.project()];
  const [ann, bob] = await addUsers(app, project, "Ann@Example.com", "bob@example.com");
  await addUsers(app, stranger, "cy@example.com");
  assert.deepEqual(await listIds(project), [bob, ann]);
  const { items, nextCursor } = ok(await list(project));
  assert.equal(nextCursor, null);
  assert.deepEqual(items[1], {
    _id: ann,
    email: "Ann@Example.com",
    emailVerified: false,
    name: null,
    username: null,
    avatarUrl: null,
    providers: [],
    isAnonymous: false,
    roles: [],
    claims: {},
    createdAt: "2026-01-31T12:00:01.000Z",
    updatedAt: "2026-01-31T12:00:01.000Z",
    lastSignInAt: null,
    disabled: false,
  });
  assert.deepEqual(ok(await list(await app.project())), { items: [], nextCursor: null });
});

Deno.test("listUsers finds users by e-mail or a part of it, ignoring case", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const [ann, bob, dot, plus] = await addUsers(
    app,
    project,
    "Ann@Example.com",
    "bob@example.org",
    "a.b@x.example",
    "a+b@x.example",
  );
  assert.deepEqual(await listIds(project, "?email=ann@example.COM"), [ann]);
  assert.deepEqual(await listIds(project, "?email=ann"), []);
  assert.deepEqual(await listIds(project, "?search=EXAMPLE.c"), [ann]);
  assert.deepEqual(await listIds(project, "?search=@example."), [bob, ann]);
  assert.deepEqual(await listIds(project, "?search=@example.&email=bob@example.org"), [bob]);
  assert.deepEqual(await listIds(project, `?search=${encodeURIComponent("a+b")}`), [plus]);
  assert.deepEqual(await listIds(project, "?search=a.b"), [dot], "a dot matches only a dot");
});

Deno.test("listUsers takes the search literally and not as a pattern", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await addUsers(app, project, "ann@example.com");
  const texts = [".*", "^", "$", "(", "[", "{", "\\", "|", "a*", "?", "(?i)x", "é", "😀", "%", "_"];
  for (const text of [...texts, "!\"#&'*+,-/:;<=>@[\\]^`{|}~", " "]) {
    assert.deepEqual(await listIds(project, `?search=${encodeURIComponent(text)}`), [], text);
  }
});

Deno.test("listUsers returns each user once over all pages while others are added", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const emails = Array.from({ length: 7 }, (_, i) => `u${i}@example.com`);
  const added = await addUsers(app, project, ...emails);
  const seen: Id[] = [];
  for (let query = "?limit=3&search=example";;) {
    const { items, nextCursor } = ok(await list(project, query));
    seen.push(...items.map(({ _id }: { _id: Id }) => _id));
    if (nextCursor === null) break;
    await addUsers(app, project, `${crypto.randomUUID()}@example.com`);
    query = `?limit=3&search=example&cursor=${nextCursor}`;
  }
  assert.deepEqual(seen, added.toReversed());
});

Deno.test("listUsers refuses a cursor of another search or project", async () => {
  await using app = await openTestApp();
  const [project, stranger] = [await app.project(), await app.project()];
  await addUsers(app, project, "a@example.com", "b@example.com");
  await addUsers(app, stranger, "a@example.com", "b@example.com");
  const { nextCursor } = ok(await list(project, "?limit=1"));
  ok(await list(project, `?limit=5&cursor=${nextCursor}`));
  for (const query of [`?search=a&cursor=${nextCursor}`, `?cursor=${nextCursor}x`, "?cursor="]) {
    refused(await list(project, query), 400, "INVALID_CURSOR");
  }
  refused(await list(stranger, `?cursor=${nextCursor}`), 400, "INVALID_CURSOR");
});

Deno.test("listUsers refuses an unknown, invalid or repeated parameter and names it", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const wrong: [string, string][] = [
    ["?limit=0", "limit"],
    ["?limit=1.5", "limit"],
    ["?name=Ann", "name"],
    ["?email=a&email=b", "email"],
    ["?search=", "search"],
    [`?search=${"x".repeat(65)}`, "64"],
    ["?search=%00", "search"],
  ];
  for (const [query, reason] of wrong) {
    refused(await list(project, query), 400, "INVALID_QUERY", reason);
  }
});

Deno.test("listUsers returns 503 if the search takes too long", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const headers = { "x-api-key": project.secretKey };
  const slow = tooSlowApp(app, () => true);
  const answer = await send(slow, { path: `${PATH}?search=x`, headers });
  refused(answer, 503, "QUERY_TOO_SLOW");
});

Deno.test("listUsers requires the secret key", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  refused(await project.asPublic({ path: PATH }), 403, "SECRET_KEY_REQUIRED");
  refused(await project.asPublic({ path: PATH }, user), 403, "SECRET_KEY_REQUIRED");
});

import assert from "node:assert/strict";
import { createUser } from "@/lib/auth/create_user.ts";
import type { Id } from "@/lib/store/port.ts";
import { send } from "../support/conforming_client.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { ok, refused } from "./test_collection.ts";
import { signIn } from "./signed_in.ts";
import { tooSlowApp } from "./too_slow_app.ts";

const PATH = "/api/userAuth/users";

/** Users of these e-mails, each a second later; their ids in that order. */
async function add(app: TestApp, project: TestProject, ...emails: string[]): Promise<Id[]> {
  const ids: Id[] = [];
  for (const email of emails) {
    app.clock.advance(1000);
    ids.push(await createUser(app.services, project.projectId, { email, verified: false }));
  }
  return ids;
}

const list = (project: TestProject, query = "") => project.asSecret({ path: `${PATH}${query}` });

/** The ids that a query lists. */
async function ids(project: TestProject, query = ""): Promise<Id[]> {
  return ok(await list(project, query)).items.map(({ _id }: { _id: Id }) => _id);
}

Deno.test("the users of the project, the newest first, as servers see them", async () => {
  await using app = await openTestApp();
  const [project, stranger] = [await app.project(), await app.project()];
  const [ann, bob] = await add(app, project, "Ann@Example.com", "bob@example.com");
  await add(app, stranger, "cy@example.com");
  assert.deepEqual(await ids(project), [bob, ann]);
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

Deno.test("users are found by their e-mail, whole or in part, in any letter case", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const [ann, bob, dot, plus] = await add(
    app,
    project,
    "Ann@Example.com",
    "bob@example.org",
    "a.b@x.example",
    "a+b@x.example",
  );
  assert.deepEqual(await ids(project, "?email=ann@example.COM"), [ann]);
  assert.deepEqual(await ids(project, "?email=ann"), []);
  assert.deepEqual(await ids(project, "?search=EXAMPLE.c"), [ann]);
  assert.deepEqual(await ids(project, "?search=@example."), [bob, ann]);
  assert.deepEqual(await ids(project, "?search=@example.&email=bob@example.org"), [bob]);
  assert.deepEqual(await ids(project, `?search=${encodeURIComponent("a+b")}`), [plus]);
  assert.deepEqual(await ids(project, "?search=a.b"), [dot], "a dot is a dot");
});

Deno.test("a search is text and no pattern, whatever is in it", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  await add(app, project, "ann@example.com");
  const texts = [".*", "^", "$", "(", "[", "{", "\\", "|", "a*", "?", "(?i)x", "é", "😀", "%", "_"];
  for (const text of [...texts, "!\"#&'*+,-/:;<=>@[\\]^`{|}~", " "]) {
    assert.deepEqual(await ids(project, `?search=${encodeURIComponent(text)}`), [], text);
  }
});

Deno.test("pages are walked by cursor, each user once, while others come", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const emails = Array.from({ length: 7 }, (_, i) => `u${i}@example.com`);
  const added = await add(app, project, ...emails);
  const seen: Id[] = [];
  for (let query = "?limit=3&search=example";;) {
    const { items, nextCursor } = ok(await list(project, query));
    seen.push(...items.map(({ _id }: { _id: Id }) => _id));
    if (nextCursor === null) break;
    await add(app, project, `${crypto.randomUUID()}@example.com`);
    query = `?limit=3&search=example&cursor=${nextCursor}`;
  }
  assert.deepEqual(seen, added.toReversed());
});

Deno.test("a cursor goes with its search and its project", async () => {
  await using app = await openTestApp();
  const [project, stranger] = [await app.project(), await app.project()];
  await add(app, project, "a@example.com", "b@example.com");
  await add(app, stranger, "a@example.com", "b@example.com");
  const { nextCursor } = ok(await list(project, "?limit=1"));
  ok(await list(project, `?limit=5&cursor=${nextCursor}`));
  for (const query of [`?search=a&cursor=${nextCursor}`, `?cursor=${nextCursor}x`, "?cursor="]) {
    refused(await list(project, query), 400, "INVALID_CURSOR");
  }
  refused(await list(stranger, `?cursor=${nextCursor}`), 400, "INVALID_CURSOR");
});

Deno.test("a parameter that is unknown, malformed or given twice is 400 and is named", async () => {
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
  for (const [query, says] of wrong) {
    refused(await list(project, query), 400, "INVALID_QUERY", says);
  }
});

Deno.test("a search that takes too long is 503", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const headers = { "x-api-key": project.secretKey };
  const slow = tooSlowApp(app, () => true);
  const answer = await send(slow, { path: `${PATH}?search=x`, headers });
  refused(answer, 503, "QUERY_TOO_SLOW");
});

Deno.test("only the secret key lists users, whoever is signed in", async () => {
  await using app = await openTestApp();
  const project = await app.project();
  const user = await signIn(app, project);
  refused(await project.asPublic({ path: PATH }), 403, "SECRET_KEY_REQUIRED");
  refused(await project.asPublic({ path: PATH }, user), 403, "SECRET_KEY_REQUIRED");
});

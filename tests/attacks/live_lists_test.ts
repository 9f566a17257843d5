/** Live lists of readers who try to see private data. */

import assert from "node:assert/strict";
import { rotateKey } from "@/lib/projects/rotate_key.ts";
import { issueToken } from "@/lib/auth/issue_token.ts";
import type { Id } from "@/lib/store/port.ts";
import { ALL } from "@/lib/store/filter.ts";
import { LIVE_TICKETS } from "@/lib/events/live/tickets.ts";
import { LiveReader } from "../support/live_reader.ts";
import { openTestApp, type TestApp, type TestUser } from "../support/test_app.ts";
import { liveCall, type NotesFixture, openNotes, readToEnd, runClock } from "./live_fixture.ts";

/** Milliseconds within which a revoked reader stops receiving changes. */
const REVOKED_MS = 5_000;

/** `removed - of 0` */
const summaryOf = (
  { data: { action, document, total } }: Awaited<ReturnType<LiveReader["expect"]>>,
): string => `${action} ${document?.n ?? "-"} of ${total}`;

Deno.test("listenToDocuments sends another user nothing of private documents, with any query", async () => {
  await using notes = await openNotes();
  const { project, create, patch, listen } = notes;
  const [ann, bob] = [await project.user(), await project.user()];
  const secret = await create({ n: 1, text: "secret", userId: ann.id });
  await using open = new AsyncDisposableStack();
  const queries = [
    "",
    "?snapshot=false",
    "?include_deleted=true",
    `?userId=${ann.id}`,
    `?userId_ne=${bob.id}`,
    "?text=secret",
    "?text_ne=nothing",
    "?n_gte=5",
    "?n_lt=5",
    "?where=" + encodeURIComponent(JSON.stringify({ or: [{ text: "secret" }, { n: 2 }] })),
    `?_id=${secret}`,
  ];
  const readers = [];
  for (const query of queries) {
    const reader = open.use(await listen(query, { user: bob }));
    readers.push(reader);
    if (query === "?snapshot=false") continue;
    const { data } = await reader.expect("list");
    assert.deepEqual([data.total, data.items], [0, []], query);
  }
  // Moves the document in and out of every filter, and through the trash.
  for (const n of [5, 2, 7, 1]) await patch(secret, { n });
  await patch(secret, { text: "other" });
  await patch(secret, { text: "secret" });
  const path = `/api/data/notes/${secret}`;
  for (const [method, at] of [["DELETE", path], ["PATCH", `${path}/recover`]] as const) {
    assert.equal((await project.asSecret({ method, path: at })).status, 200);
  }
  await project.asSecret({ method: "DELETE", path: `${path}?permanent=true` });
  // The first event is about the reader's own document.
  const own = await create({ n: 2, text: "own", userId: bob.id });
  await patch(own, { n: 6 });
  const receivesOwnChange = (query: string) => !/^\?(?:userId|text=|_id=)/.test(query);
  for (const [i, query] of queries.entries()) {
    if (!receivesOwnChange(query)) continue;
    const { data } = await readers[i]!.expect("change");
    assert.deepEqual([data.id, data.action], [own, "added"], query);
  }
  notes.app.services.liveLists.stop();
  for (const [i, query] of queries.entries()) {
    for (let next = await readers[i]!.next(); next !== null; next = await readers[i]!.next()) {
      assert.deepEqual([next.data.id, receivesOwnChange(query)], [own, true], query);
    }
  }
});

Deno.test("listenToDocuments refuses private documents without a valid token", async () => {
  await using notes = await openNotes();
  const { app, project, listen } = notes;
  const user = await project.user();
  const refusals = async () => {
    const wrong = { id: user.id, token: `${user.token}x` };
    const another = await app.project();
    const foreign = await another.user();
    return [
      await app.send(liveCall(notes, {})),
      await app.send({ path: "/api/data/notes/live" }),
      await app.send(liveCall(notes, { user: wrong })),
      await app.send(liveCall(notes, { user: foreign })),
    ].map(({ status, body }) => `${status} ${body.code}`);
  };
  for (let round = 0; round < 8; round++) {
    assert.deepEqual(await refusals(), [
      "401 ACCESS_TOKEN_REQUIRED",
      "401 API_KEY_INVALID",
      "401 ACCESS_TOKEN_INVALID",
      "401 ACCESS_TOKEN_INVALID",
    ]);
  }
  await using open = new AsyncDisposableStack();
  for (let i = 0; i < 20; i++) open.use(await listen("?limit=1", { user }));
});

/** Revocations of a reader's access, in this process or in another one on the store. */
const REVOCATIONS: Readonly<
  Record<string, (by: TestApp, notes: NotesFixture, user: TestUser) => Promise<unknown>>
> = {
  "signed out": (by, notes, user) =>
    by.send(liveCall(notes, { user, method: "POST", path: "/api/userAuth/logout-all" })),
  "disabled": (by, { project }, { id }) =>
    by.send({
      method: "PATCH",
      path: `/api/userAuth/users/${id}`,
      headers: { "x-api-key": project.secretKey },
      body: { disabled: true },
    }),
  "deleted": (by, { project }, { id }) =>
    by.send({
      method: "DELETE",
      path: `/api/userAuth/users/${id}`,
      headers: { "x-api-key": project.secretKey },
    }),
  "key rotated": (by, { project }) =>
    rotateKey(by.services, project.projectId, { kind: "publishable" }),
};

Deno.test("listenToDocuments ends within 5 s of a revocation, in this or another process", async () => {
  await using app = await openTestApp();
  await using elsewhere = await openTestApp({ store: app.store, clock: app.clock });
  using _ = runClock(app.clock);
  const ended = async (what: string, by: TestApp) => {
    const notes = await openNotes({}, { app });
    const { project, create, listen } = notes;
    const [user, other] = [await project.user(), await project.user()];
    await using reader = await listen("", { user });
    await using others = await listen("");
    await reader.expect("list");
    await others.expect("list");
    await REVOCATIONS[what]!(by, notes, user);
    const began = performance.now();
    const { shown, code } = await readToEnd(reader);
    const took = performance.now() - began;
    assert.ok(took < REVOKED_MS, `${what} took ${took} ms`);
    assert.equal(code, "ACCESS_TOKEN_INVALID", what);
    assert.equal(shown, "", what);
    await create({ n: 1, userId: other.id });
    assert.equal(summaryOf(await others.expect("change")), "added 1 of 1", what);
  };
  await Promise.all(
    Object.keys(REVOCATIONS).flatMap((what) => [ended(what, app), ended(what, elsewhere)]),
  );
});

Deno.test("listenToDocuments ends when its token expires, and not before", async () => {
  await using notes = await openNotes();
  const { app, project, listen, create } = notes;
  const { id } = await project.user();
  const token = await issueToken(app.services, project.projectId, { userId: id, seconds: 60 });
  await using reader = await listen("", { user: { id, token } });
  await reader.expect("list");
  app.clock.advance(59_000);
  await create({ n: 1, userId: id });
  assert.equal(summaryOf(await reader.expect("change")), "added 1 of 1");
  app.clock.advance(5_000);
  assert.deepEqual(await readToEnd(reader), { shown: "", code: "ACCESS_TOKEN_INVALID" });
});

Deno.test("listenToDocuments with the secret key ends when the key is rotated", async () => {
  await using notes = await openNotes();
  const { app, project, listen } = notes;
  await using reader = await listen("");
  await reader.expect("list");
  await rotateKey(app.services, project.projectId, { kind: "secret" });
  app.clock.advance(REVOKED_MS);
  assert.equal((await readToEnd(reader)).shown, "");
});

Deno.test("listenToDocuments sends a removal and an addition when a document changes its owner", async () => {
  await using notes = await openNotes();
  const { project, create, patch, listen } = notes;
  const [ann, bob] = [await project.user(), await project.user()];
  const id = await create({ n: 1, text: "ann's", userId: ann.id });
  await using anns = await listen("", { user: ann });
  await using bobs = await listen("", { user: bob });
  for (const reader of [anns, bobs]) await reader.expect("list");
  await patch(id, { userId: bob.id, n: 2, text: "bob's" });
  const removed = await anns.expect("change");
  assert.deepEqual(removed.data, { action: "removed", id, total: 0 });
  assert.equal(summaryOf(await bobs.expect("change")), "added 2 of 1");
  await patch(id, { n: 3 });
  assert.equal(summaryOf(await bobs.expect("change")), "changed 3 of 1");
  await patch(id, { userId: ann.id, n: 4 });
  assert.equal(summaryOf(await anns.expect("change")), "added 4 of 1");
  assert.deepEqual((await bobs.expect("change")).data, { action: "removed", id, total: 0 });
  await patch(id, { userId: null, n: 5 });
  assert.deepEqual((await anns.expect("change")).data, { action: "removed", id, total: 0 });
  await create({ n: 6, userId: bob.id });
  assert.equal(summaryOf(await bobs.expect("change")), "added 6 of 1");
});

Deno.test("createLiveTicket opens the list of its user for any bearer, while the user may read", async () => {
  await using notes = await openNotes();
  const { app, project, create } = notes;
  const [ann, bob] = [await project.user(), await project.user()];
  const another = await app.project();
  const ticket = async (user: TestUser) => {
    const call = { method: "POST", path: "/api/data/notes/live", body: {} };
    const { status, body, text } = await project.asPublic(call, user);
    assert.equal(status, 201, text);
    const { pathname, search } = new URL(body.data.url);
    return pathname + search;
  };
  const refusal = async (path: string) => {
    const { status, body } = await app.send({ path });
    return `${status} ${body.code}`;
  };
  await create({ n: 1, userId: ann.id });
  await create({ n: 2, userId: bob.id });

  // A ticket in addition to a key is ignored and not used up.
  const path = await ticket(bob);
  const withKey = liveCall(notes, { user: ann }).headers;
  for (const headers of [withKey, [["x-api-key", another.secretKey] as [string, string]]]) {
    const { status, text } = await app.send({ path, headers });
    assert.equal(status, headers === withKey ? 200 : 404);
    assert.doesNotMatch(text, /"n":2/);
  }
  const response = await app.open({ path });
  await using reader = new LiveReader(response.body as ReadableStream<Uint8Array<ArrayBuffer>>);
  const { data } = await reader.expect("list");
  assert.deepEqual(data.items.map(({ n }: { n: number }) => n), [2]);
  assert.equal(await refusal(path), "401 TICKET_INVALID");
  const late = await ticket(bob);
  await app.send({
    method: "PATCH",
    path: `/api/userAuth/users/${bob.id}`,
    headers: { "x-api-key": project.secretKey },
    body: { disabled: true },
  });
  assert.equal(await refusal(late), "401 ACCESS_TOKEN_INVALID");
  assert.equal(await refusal(late), "401 TICKET_INVALID");
  const held = await ticket(ann);
  await rotateKey(app.services, project.projectId, { kind: "publishable" });
  assert.equal(await refusal(held), "401 API_KEY_INVALID");
  const { engine } = app.services;
  assert.equal(await engine.records(project.projectId, LIVE_TICKETS).count(ALL), 0);
});

Deno.test("listenToDocuments resumes a Last-Event-ID within access rules, and refuses an altered one", async () => {
  await using notes = await openNotes();
  const { project, create, listen } = notes;
  const [ann, bob] = [await project.user(), await project.user()];
  await using anns = await listen("", { user: ann });
  const { id: start } = await anns.expect("list");
  await create({ n: 1, text: "ann's", userId: ann.id });
  await create({ n: 2, text: "bob's", userId: bob.id });
  await using bobs = await listen("?n_gte=0", { user: bob, lastEventId: start });
  const { data: { action, document } } = await bobs.expect("change");
  assert.deepEqual([action, document.n], ["added", 2]);
  const altered = new Set<string>();
  for (let i = 0; i < start!.length; i++) {
    const other = start![i] === "A" ? "B" : "A";
    altered.add(start!.slice(0, i) + other + start!.slice(i + 1));
  }
  for (const cut of [1, 8, 20]) altered.add(start!.slice(0, -cut)).add(start!.slice(cut));
  for (const lastEventId of altered) {
    await using again = await listen("", { user: bob, lastEventId });
    await again.expect("reset");
    const { data } = await again.expect("list");
    assert.deepEqual(data.items.map(({ n }: { n: number }) => n), [2], lastEventId);
  }
});

Deno.test("listenToDocuments resets a Last-Event-ID from before the collection became private", async () => {
  await using notes = await openNotes({ rls: { mode: "public-read" } });
  const { app, project, create, listen, redefine } = notes;
  const [ann, bob] = [await project.user(), await project.user()];
  await using anyone = await listen("", { user: null });
  const { id: lastEventId } = await anyone.expect("list");
  await create({ n: 1, userId: ann.id });
  await create({ n: 2, userId: bob.id });
  await redefine({ rls: { mode: "private" } });
  await create({ n: 3, userId: ann.id });
  await using bobs = await listen("", { user: bob, lastEventId });
  await bobs.expect("reset");
  const { data } = await bobs.expect("list");
  assert.deepEqual([data.total, data.items[0].n], [1, 2]);
  const call = liveCall(notes, {});
  const headers: [string, string][] = [...call.headers, ["last-event-id", lastEventId!]];
  const refused = await app.send({ ...call, headers });
  assert.deepEqual([refused.status, refused.body.code], [401, "ACCESS_TOKEN_REQUIRED"]);
});

Deno.test("listenToDocuments sends no writes after a collection became private", async () => {
  await using notes = await openNotes({ rls: { mode: "public-read" } });
  const { project, create, listen, redefine } = notes;
  const [ann, bob] = [await project.user(), await project.user()];
  await using bobs = await listen("", { user: bob });
  for (let round = 1; round <= 3; round++) {
    await using open = new AsyncDisposableStack();
    const readers: LiveReader[] = [];
    for (let i = 0; i < 5; i++) readers.push(open.use(await listen(`?n_gte=${i}`, { user: null })));
    await create({ n: 10, text: "open", userId: ann.id });
    for (const reader of readers) {
      for (let received = ""; !received.includes("open");) {
        const next = await reader.next();
        assert.ok(next !== null, "the list ended before the document was sent");
        received = JSON.stringify(next);
      }
    }
    const privately = redefine({ rls: { mode: "private" } });
    const concurrent = Array.from(
      { length: 10 },
      (_, n) => create({ n: n + 10, text: "beside", userId: ann.id }),
    );
    await privately;
    await create({ n: 20, text: `closed ${round}`, userId: ann.id });
    await Promise.all(concurrent);
    for (const reader of readers) {
      const { shown, code } = await readToEnd(reader);
      assert.equal(code, "ACCESS_TOKEN_REQUIRED");
      assert.equal(shown.includes(`closed ${round}`), false);
    }
    await redefine({ rls: { mode: "public-read" } });
    await redefine({ rls: { mode: "private" } });
    await redefine({ rls: { mode: "public-read" } });
  }
  const last = await create({ n: 99, text: "last", userId: bob.id });
  for (let isOver = false; !isOver;) {
    const { event, data } = (await bobs.next())!;
    if (event === "change") {
      assert.doesNotMatch(`${data.document?.text}`, /closed/);
      isOver = data.id === last;
    } else if (event === "list") isOver = data.items.some(({ _id }: { _id: Id }) => _id === last);
  }
});

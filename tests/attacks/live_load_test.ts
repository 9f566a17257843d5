/** Live lists of clients that open many, read nothing, or send expensive queries. */

import assert from "node:assert/strict";
import { LIVE_BEHIND_BYTES_MAX, LIVE_STREAMS_MAX, LIVE_STREAMS_SHARE_MAX } from "@/lib/limits.ts";
import type { LiveReader } from "../support/live_reader.ts";
import { SLOW_PATTERN } from "../support/slow_pattern.ts";
import { liveCall, type NotesFixture, openNotes } from "./live_fixture.ts";

const PUBLIC = { rls: { mode: "public-read" } };
const peerOf = (i: number) => `10.0.${i >> 8}.${i & 255}`;

/** Measures the longest time that the event loop was blocked during work, in milliseconds. */
async function measureLongestBlock(work: () => Promise<unknown>): Promise<number> {
  let [last, longest, isOver] = [performance.now(), 0, false];
  const watch = (async () => {
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }
  })();
  await work();
  isOver = true;
  await watch;
  return longest;
}

Deno.test("listenToDocuments opens at most twenty lists per address, and others are unaffected", async () => {
  await using notes = await openNotes(PUBLIC);
  const another = await openNotes(PUBLIC, { app: notes.app });
  const { app, listen } = notes;
  const call = (i: number) =>
    app.open(
      liveCall(notes, { path: `/api/data/notes/live?snapshot=false&n=${i}`, peer: peerOf(1) }),
    );
  const responses = await Promise.all(Array.from({ length: 2_000 }, (_, i) => call(i)));
  const opened = responses.filter(({ status }) => status === 200);
  const refused = responses.filter(({ status }) => status === 429);
  assert.deepEqual([opened.length, refused.length], [
    LIVE_STREAMS_SHARE_MAX,
    2_000 - LIVE_STREAMS_SHARE_MAX,
  ]);
  for (const response of refused) {
    assert.equal((await response.json()).code, "TOO_MANY_STREAMS");
    assert.ok(Number(response.headers.get("retry-after")) > 0);
  }
  await (await listen("", { user: null, peer: peerOf(2) }))[Symbol.asyncDispose]();
  await (await listen(""))[Symbol.asyncDispose]();
  await (await another.listen("", { user: null, peer: peerOf(1) }))[Symbol.asyncDispose]();
  // Closing one allows another.
  await opened[0]!.body!.cancel();
  assert.equal((await call(1)).status, 200);
  assert.equal((await call(1)).status, 429);
});

Deno.test("listenToDocuments opens at most a thousand lists per project, and others are unaffected", async () => {
  await using notes = await openNotes(PUBLIC);
  const another = await openNotes(PUBLIC, { app: notes.app });
  const responses = await Promise.all(
    Array.from({ length: 2_000 }, (_, i) =>
      notes.app.open(liveCall(notes, {
        path: "/api/data/notes/live?snapshot=false",
        peer: peerOf(i >> 3),
      }))),
  );
  const opened = responses.filter(({ status }) => status === 200);
  assert.equal(opened.length, LIVE_STREAMS_MAX);
  assert.equal(responses.filter(({ status }) => status === 429).length, 2_000 - LIVE_STREAMS_MAX);
  await using reader = await another.listen("", { user: null, peer: peerOf(1) });
  await reader.expect("list");
  await another.create({ n: 1 });
  assert.equal((await reader.expect("change")).data.document.n, 1);
  for (const { body } of responses) await body!.cancel();
  await (await notes.listen("", { user: null }))[Symbol.asyncDispose]();
});

Deno.test("listenToDocuments does not count refused, HEAD and immediately closed requests", async () => {
  await using notes = await openNotes(PUBLIC);
  const { app, listen } = notes;
  for (let i = 0; i < 2 * LIVE_STREAMS_SHARE_MAX; i++) {
    const refused = await app.send(liveCall(notes, { path: "/api/data/notes/live?page=2" }));
    assert.equal(refused.status, 400);
    const head = await app.open(liveCall(notes, { method: "HEAD" }));
    assert.equal(head.body, null);
    await (await app.open(liveCall(notes, {}))).body!.cancel();
  }
  await using open = new AsyncDisposableStack();
  for (let i = 0; i < LIVE_STREAMS_SHARE_MAX; i++) open.use(await listen("", { user: null }));
});

const READERS = 200;
const CHANGES = 100;

Deno.test("listenToDocuments holds bounded memory for each of two hundred stalled readers", async () => {
  await using notes = await openNotes(PUBLIC, { env: { FREE_DOCUMENT_BYTES: "1000000000" } });
  const { create, listen } = notes;
  await using open = new AsyncDisposableStack();
  const stalled: LiveReader[] = [];
  for (let i = 0; i < READERS; i++) {
    // Each has a different filter, so that no bytes are shared.
    const reader = await listen(`?n_gte=-${i + 1}`, { user: null, peer: peerOf(i >> 4) });
    await reader.expect("list");
    stalled.push(open.use(reader));
  }
  await using quick = await listen("?fields=n&snapshot=false");
  const before = Deno.memoryUsage().rss;
  const text = "x".repeat(100_000);
  for (let n = 0; n < CHANGES; n++) await create({ n, text });
  for (let n = 0; n < CHANGES; n++) assert.equal((await quick.expect("change")).data.document.n, n);
  const grown = Deno.memoryUsage().rss - before;
  const bound = READERS * 2 * LIVE_BEHIND_BYTES_MAX;
  assert.ok(grown < bound, `grew by ${grown >> 20} MiB`);
  for (const reader of stalled.slice(0, 3)) {
    for (let isOver = false; !isOver;) {
      const { event, data } = (await reader.next())!;
      isOver = event === "list" && data.total === CHANGES;
    }
  }
});

Deno.test("listenToDocuments holds one list for a stalled reader while its definition changes", async () => {
  await using notes = await openNotes(PUBLIC);
  const { create, redefine, listen } = notes;
  const text = "x".repeat(400_000);
  for (let n = 0; n < 5; n++) await create({ n, text });
  await using reader = await listen("?meta=false", { user: null });
  await using quick = await listen("?fields=n");
  await quick.expect("list");
  const ROUNDS = 10;
  for (let round = 0; round < ROUNDS; round++) {
    await redefine({ ...PUBLIC, strict: round % 2 === 0 });
    await create({ n: round, text: "small" });
    await quick.expect("reset");
    await quick.expect("list");
  }
  let lists = 0;
  for (let total = 0; total < 5 + ROUNDS;) {
    const { event, data } = (await reader.next())!;
    if (event !== "list") continue;
    total = data.total;
    lists++;
  }
  assert.ok(lists <= ROUNDS / 2, `${lists} lists of two megabytes waited`);
});

/** Milliseconds of one pattern match plus a turn of others. */
const BLOCKED_MS_MAX = 150;

Deno.test("listenToDocuments with slow patterns blocks the thread for at most one of them", async () => {
  await using notes = await openNotes(PUBLIC);
  const { create, listen } = notes;
  await using open = new AsyncDisposableStack();
  const dear = [];
  for (let i = 0; i < LIVE_STREAMS_SHARE_MAX; i++) {
    const pattern = encodeURIComponent(`${SLOW_PATTERN}${i}`);
    dear.push(open.use(await listen(`?text_regex=${pattern}`, { user: null })));
  }
  await using plain = await listen("?fields=n");
  for (const reader of [...dear, plain]) await reader.expect("list");
  const held: number[] = [];
  for (const length of [400, 1_000_000]) {
    let [text, seed] = ["", length];
    while (text.length < length) {
      seed = seed * 48_271 % 2_147_483_647;
      text += "ab"[(seed >> 8) % 2];
    }
    held.push(
      await measureLongestBlock(async () => {
        await create({ n: length, text });
        const { data } = await plain.expect("change");
        assert.equal(data.document.n, length);
      }),
    );
  }
  assert.ok(held[0]! < BLOCKED_MS_MAX, `blocked for ${held} ms`);
  // A text whose match times out is not sent to any reader, as if it did not match.
  for (const reader of dear) {
    assert.equal(await reader.next(), null);
    assert.match(reader.comments.at(-1)!, /Reconnect/);
  }
});

/** Milliseconds to catch up, far more than on an idle machine. */
const CATCHING_UP_MS = 500;
const MANY = 10_000;
const BULK = 100;

async function writeMany({ project }: NotesFixture, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += BULK) {
    const documents = Array.from(
      { length: BULK },
      (_, i) => ({ n: n + i, text: (n + i) % 10 === 0 ? "tenth" : "other" }),
    );
    const answer = await project.asSecret({ path: "/api/data/notes/bulk", body: { documents } });
    assert.equal(answer.status, 201, answer.text);
  }
}

Deno.test("listenToDocuments omits none of ten thousand changes while a stream catches up", async () => {
  await using notes = await openNotes(PUBLIC);
  const { listen } = notes;
  const query = "?fields=n&meta=false&text=tenth";
  await using first = await listen(query);
  const { id } = await first.expect("list");
  await first[Symbol.asyncDispose]();
  await writeMany(notes, 0, MANY / 2);
  let reader!: LiveReader;
  const writing = writeMany(notes, MANY / 2, MANY);
  const held = await measureLongestBlock(async () => {
    reader = await listen(query, { lastEventId: id });
  });
  await using _ = reader;
  assert.ok(held < CATCHING_UP_MS, `blocked for ${held} ms`);
  const seen = new Set<number>();
  let last = -1;
  while (seen.size < MANY / 10) {
    const { event, data } = (await reader.next())!;
    assert.equal(event, "change");
    assert.equal(data.action, "added");
    // The last change may be sent again with its total.
    const isAgain = data.document.n === last && data.total !== undefined;
    assert.ok(data.document.n > last || isAgain, "changes arrive in the order of commits");
    last = data.document.n;
    seen.add(last);
  }
  await writing;
  await notes.create({ n: MANY, text: "tenth" });
  let total: number | undefined;
  while (total !== MANY / 10 + 1) {
    const { data } = await reader.expect("change");
    assert.ok(data.document.n === MANY || data.document.n === last);
    total = data.total;
  }
});

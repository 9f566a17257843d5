/** Live lists of served processes. */

import assert from "node:assert/strict";
import { RUNS } from "../property/run.ts";
import { createTestStore, database } from "../support/test_store.ts";
import { LiveClient } from "./live_client.ts";
import { createCollection, createProject, listAll, type Project, send, THINGS } from "./project.ts";
import { type Server, startServer } from "./server.ts";
import { byThread } from "./threads.ts";
import { until } from "./until.ts";

const PATH = "/api/data/things";
/** For what comes at once, on a machine that has other things to do. */
const SOON_MS = 10_000;
/**
 * What a dead process, of this test or of one beside it, left open in a transaction MongoDB holds for
 * a minute, unless it notices; its stand-in shows no stream what was committed meanwhile.
 */
const HELD_MS = database === "sqlite" ? SOON_MS : 200_000;
/** In which one process tells what another one has changed, at the median. */
const ELSEWHERE_MS = database === "sqlite" ? 200 : 500;
const ROUNDS = RUNS > 100 ? 30 : 5;

const settings = { PUBLIC_URL: "http://localhost:8000" };

async function create(server: Server, { secretKey: key }: Project, body: object): Promise<void> {
  const { status, text } = await send(server, { path: PATH, key, body });
  assert.equal(status, 201, text);
}

const clientOf = (server: () => Server, { secretKey: key }: Project, query = "?sort=_id") =>
  new LiveClient({ server, path: `things/live${query}`, key });

/** How long each of some changes that one process makes takes to a reader of the other. */
async function delays(writer: Server, reader: Server, project: Project): Promise<number[]> {
  await using client = clientOf(() => reader, project);
  await client.until("the list", () => client.heard.length > 0, SOON_MS);
  const answeredAt = new Map<unknown, number>();
  for (let n = 0; n < 30; n++) {
    await create(writer, project, { n });
    answeredAt.set(n, performance.now());
    await client.until(`change ${n}`, () => client.shown("n").has(n), HELD_MS);
  }
  const changes = client.heard.filter(({ event }) => event === "change");
  assert.deepEqual(
    changes.map(({ data }) => [data.action, data.document.n, data.total]),
    Array.from({ length: 30 }, (_, n) => ["added", n, n + 1]),
  );
  return changes
    .map(({ at, data }) => Math.max(0, at - answeredAt.get(data.document.n)!))
    .toSorted((a, b) => a - b);
}

function assertSoon(all: readonly number[]): void {
  const median = all[all.length >> 1]!;
  assert.ok(median < ELSEWHERE_MS, `median ${median} ms`);
}

Deno.test("listenToDocuments tells in one process of what another one changes, soon", async () => {
  await using store = await createTestStore();
  await using one = await startServer({ store, settings });
  await using other = await startServer({ store, settings });
  const project = await createProject(one.settings);
  await createCollection(one.settings, project, THINGS);
  assertSoon(await delays(one, other, project));
});

Deno.test("listenToDocuments tells in one thread of what another one changes, soon, with WORKERS=2", async () => {
  await using server = await startServer({ settings: { ...settings, WORKERS: "2" } });
  const [one, other] = await byThread(server, 2);
  try {
    const project = await createProject(server.settings);
    await createCollection(server.settings, project, THINGS);
    assertSoon(await delays(one!, other!, project));
  } finally {
    for (const { http } of [one!, other!]) http.close();
  }
});

Deno.test("SIGTERM ends live lists with a comment, and Last-Event-ID goes on after the restart with nothing left out", async () => {
  await using store = await createTestStore();
  let server = await startServer({ store, settings });
  try {
    const project = await createProject(server.settings);
    await createCollection(server.settings, project, THINGS);
    await using client = clientOf(() => server, project);
    await client.until("the list", () => client.heard.length > 0, SOON_MS);
    await create(server, project, { n: 1 });
    await client.until("the first", () => client.shown("n").has(1), HELD_MS);
    const stopped = server;
    const { code } = await stopped.stop();
    assert.equal(code, 0);
    await client.until("a word", () => client.comments.length > 0, SOON_MS);
    assert.match(client.comments.at(-1)!, /The server stops/);
    {
      // Written while nobody listens, by a process whose clients are others.
      await using elsewhere = await startServer({ store, settings });
      for (const n of [2, 3]) await create(elsewhere, project, { n });
    }
    server = await startServer({ store, settings });
    await client.until("what was missed", () => client.shown("n").has(3), HELD_MS);
    await create(server, project, { n: 4 });
    await client.until("what comes", () => client.shown("n").has(4), HELD_MS);
    const events = client.heard.map(({ event, data }) => `${event} ${data.document?.n ?? ""}`);
    assert.deepEqual(events, ["list ", "change 1", "change 2", "change 3", "change 4"]);
    assert.equal(client.heard.at(-1)!.data.total, 4);
    stopped.http.close();
  } finally {
    await server[Symbol.asyncDispose]();
  }
});

/**
 * On MongoDB one. Its stand-in shows no stream what was committed while another transaction was
 * open until that one ends.
 */
const CONNECTIONS = database === "sqlite" ? 4 : 1;
const WRITING_MS = 200;

/** Writes numbered documents over several connections until the server is gone. */
async function writeUntilGone(
  server: Server,
  { secretKey: key }: Project,
  { round, stored }: { readonly round: number; readonly stored: Set<string> },
): Promise<void> {
  const write = async (connection: number) => {
    for (let i = 0;; i++) {
      const code = `${round}-${connection}-${i}`;
      try {
        const { status, text } = await send(server, { path: PATH, key, body: { code } });
        assert.equal(status, 201, text);
        stored.add(code);
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, i) => write(i)));
}

/** Others write on: what a dead process left open on MongoDB is noticed by who writes. */
async function goOn(server: Server, project: Project): Promise<false> {
  if (database === "mongodb") await create(server, project, { text: "another" });
  return false;
}

Deno.test(`listenToDocuments leaves out nothing that was answered after kill -9 between commit and delivery, ${ROUNDS} times over`, async () => {
  await using store = await createTestStore();
  const project = await createProject(store.settings);
  await createCollection(store.settings, project, THINGS);
  let server = await startServer({ store, settings });
  try {
    await using client = clientOf(() => server, project, "?fields=code&meta=false&limit=1000");
    await client.until("the list", () => client.heard.length > 0, SOON_MS);
    const stored = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const opened = client.opened;
      const writing = writeUntilGone(server, project, { round, stored });
      const isTold = () =>
        [...client.shown("code")].some((code) => `${code}`.startsWith(`${round}-`));
      await client.until("something is told", isTold, HELD_MS);
      const { promise, resolve } = Promise.withResolvers<void>();
      setTimeout(resolve, round * WRITING_MS / ROUNDS);
      await promise;
      const killed = server;
      assert.equal((await killed.kill()).signal, "SIGKILL");
      await writing;
      killed.http.close();
      server = await startServer({ store, settings });
      await client.until("it comes back", () => client.opened > opened, HELD_MS);
      const isAll = () => stored.difference(client.shown("code")).size === 0;
      await until(`all of round ${round}`, () => isAll() || goOn(server, project), HELD_MS);
    }
    const { items } = await listAll(server, project, "things");
    const codes = new Set(items.flatMap(({ code }) => code ?? []));
    const isWhole = () => codes.difference(client.shown("code")).size === 0;
    await until("all that is stored", () => isWhole() || goOn(server, project), HELD_MS);
    // It went on where it was, each time: nothing was shown anew.
    assert.deepEqual(client.heard.filter(({ event }) => event !== "change").length, 1);
  } finally {
    await server[Symbol.asyncDispose]();
  }
});

Deno.test("listenToDocuments counts none of those who went away, however early", async () => {
  await using server = await startServer({ settings });
  const project = await createProject(server.settings);
  await createCollection(server.settings, project, THINGS);
  const open = async (abortMs: number | null) => {
    const left = new AbortController();
    const timer = abortMs === null ? undefined : setTimeout(() => left.abort(), abortMs);
    try {
      const response = await fetch(`${server.url}${PATH}/live`, {
        headers: { "x-api-key": project.secretKey },
        client: server.http,
        signal: left.signal,
      });
      if (abortMs === null) await response.body!.cancel();
      return response.status;
    } catch {
      return 0;
    } finally {
      clearTimeout(timer);
      left.abort();
    }
  };
  for (let round = 0; round < 5; round++) {
    await Promise.all(Array.from({ length: 20 }, (_, i) => open(i % 10)));
  }
  for (const began = performance.now();;) {
    const statuses = await Promise.all(Array.from({ length: 20 }, () => open(null)));
    if (statuses.every((status) => status === 200)) break;
    assert.ok(performance.now() - began < SOON_MS, statuses.join());
  }
});

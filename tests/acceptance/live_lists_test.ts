/** Live lists of served processes. */

import assert from "node:assert/strict";
import { createTestStore, database } from "../support/test_store.ts";
import { clientOf, create, PATH, settings, SOON_MS } from "./live_things.ts";
import { createCollection, createProject, type Project, THINGS } from "./project.ts";
import { type Server, startServer } from "./server.ts";
import { byThread } from "./threads.ts";

/** In which one process tells what another one has changed, at the median. */
const ELSEWHERE_MS = database === "sqlite" ? 200 : 500;

/** How long each of some changes that one process makes takes to a reader of the other. */
async function delays(writer: Server, reader: Server, project: Project): Promise<number[]> {
  await using client = clientOf(() => reader, project);
  await client.until("the list", () => client.heard.length > 0, SOON_MS);
  const answeredAt = new Map<unknown, number>();
  for (let n = 0; n < 30; n++) {
    await create(writer, project, { n });
    answeredAt.set(n, performance.now());
    await client.until(`change ${n}`, () => client.shown("n").has(n), SOON_MS);
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
    await client.until("the first", () => client.shown("n").has(1), SOON_MS);
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
    await client.until("what was missed", () => client.shown("n").has(3), SOON_MS);
    await create(server, project, { n: 4 });
    await client.until("what comes", () => client.shown("n").has(4), SOON_MS);
    const events = client.heard.map(({ event, data }) => `${event} ${data.document?.n ?? ""}`);
    assert.deepEqual(events, ["list ", "change 1", "change 2", "change 3", "change 4"]);
    assert.equal(client.heard.at(-1)!.data.total, 4);
    stopped.http.close();
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

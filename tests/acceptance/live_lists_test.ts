import assert from "node:assert/strict";
import { createTestStore, database } from "../support/test_store.ts";
import { clientOf, create, PATH, settings, SOON_MS } from "./live_things.ts";
import { createCollection, createProject, type Project, THINGS } from "./project.ts";
import { type Server, startServer } from "./server.ts";
import { clientsByThread } from "./threads.ts";

/** Median time in milliseconds within which another process delivers a change. */
const ELSEWHERE_MS = database === "sqlite" ? 200 : 500;

async function measureDelays(writer: Server, reader: Server, project: Project): Promise<number[]> {
  await using client = clientOf(() => reader, project);
  await client.until("the list arrives", () => client.received.length > 0, SOON_MS);
  const answeredAt = new Map<unknown, number>();
  for (let n = 0; n < 30; n++) {
    await create(writer, project, { n });
    answeredAt.set(n, performance.now());
    await client.until(`change ${n}`, () => client.receivedValues("n").has(n), SOON_MS);
  }
  const changes = client.received.filter(({ event }) => event === "change");
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

Deno.test("listenToDocuments soon delivers changes of another process", async () => {
  await using store = await createTestStore();
  await using one = await startServer({ store, settings });
  await using other = await startServer({ store, settings });
  const project = await createProject(one.settings);
  await createCollection(one.settings, project, THINGS);
  assertSoon(await measureDelays(one, other, project));
});

Deno.test("listenToDocuments soon delivers changes of another thread, with WORKERS=2", async () => {
  await using server = await startServer({ settings: { ...settings, WORKERS: "2" } });
  const [one, other] = await clientsByThread(server, 2);
  try {
    const project = await createProject(server.settings);
    await createCollection(server.settings, project, THINGS);
    assertSoon(await measureDelays(one!, other!, project));
  } finally {
    for (const { http } of [one!, other!]) http.close();
  }
});

Deno.test("SIGTERM ends live lists with a comment, and Last-Event-ID resumes without gaps", async () => {
  await using store = await createTestStore();
  let server = await startServer({ store, settings });
  try {
    const project = await createProject(server.settings);
    await createCollection(server.settings, project, THINGS);
    await using client = clientOf(() => server, project);
    await client.until("the list arrives", () => client.received.length > 0, SOON_MS);
    await create(server, project, { n: 1 });
    await client.until(
      "the first change arrives",
      () => client.receivedValues("n").has(1),
      SOON_MS,
    );
    const stopped = server;
    const { code } = await stopped.stop();
    assert.equal(code, 0);
    await client.until("a comment arrives", () => client.comments.length > 0, SOON_MS);
    assert.match(client.comments.at(-1)!, /The server stops/);
    {
      // A process without clients writes while the first one is down.
      await using elsewhere = await startServer({ store, settings });
      for (const n of [2, 3]) await create(elsewhere, project, { n });
    }
    server = await startServer({ store, settings });
    await client.until(
      "the missed changes arrive",
      () => client.receivedValues("n").has(3),
      SOON_MS,
    );
    await create(server, project, { n: 4 });
    await client.until("later changes arrive", () => client.receivedValues("n").has(4), SOON_MS);
    const events = client.received.map(({ event, data }) => `${event} ${data.document?.n ?? ""}`);
    assert.deepEqual(events, ["list ", "change 1", "change 2", "change 3", "change 4"]);
    assert.equal(client.received.at(-1)!.data.total, 4);
    stopped.http.close();
  } finally {
    await server[Symbol.asyncDispose]();
  }
});

Deno.test("listenToDocuments does not count disconnected clients, however early they left", async () => {
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

import assert from "node:assert/strict";
import { RUNS } from "../property/run.ts";
import { createTestStore } from "../support/test_store.ts";
import { createCollection, createProject, listAll, type Project, send, THINGS } from "./project.ts";
import { type Server, startServer } from "./server.ts";
import { until } from "./until.ts";

const ROUNDS = RUNS > 100 ? 20 : 4;
const CONNECTIONS = 6;
const STREAM_MS = 150;
const BULK = 5;

interface Stream {
  /** What was answered with 201, by id; of a bulk one entry for each document. */
  readonly stored: Map<string, string>;
  readonly done: Promise<void>;
}

/** The content follows from the name, so that half of a document is noticed. */
const textOf = (name: string) => `${name} `.repeat(40);

/**
 * Inserts over several connections until the server is gone: single documents, and bulks whose
 * documents share a `batch`.
 */
function stream(server: Server, { secretKey: key }: Project, round: number): Stream {
  const stored = new Map<string, string>();
  const insert = async (connection: number) => {
    for (let i = 0;; i++) {
      const name = `${round}-${connection}-${i}`;
      const isBulk = connection === 0;
      const path = isBulk ? "/api/data/things/bulk" : "/api/data/things";
      const body = isBulk
        ? { documents: Array(BULK).fill({ batch: name, text: textOf(name) }) }
        : { code: name, text: textOf(name) };
      try {
        const answer = await send(server, { path, key, body });
        assert.equal(answer.status, 201, answer.text);
        const ids: string[] = isBulk ? answer.body.data.ids : [answer.body.data._id];
        for (const id of ids) stored.set(id, name);
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        return; // The connection died with the server.
      }
    }
  };
  const done = Promise.all(Array.from({ length: CONNECTIONS }, (_, i) => insert(i)));
  return { stored, done: done.then(() => {}) };
}

Deno.test(`kill -9 during a stream of inserts loses nothing that was answered with 201, ${ROUNDS} times over`, async () => {
  await using store = await createTestStore();
  const { settings } = store;
  const project = await createProject(settings);
  await createCollection(settings, project, THINGS);
  const stored = new Map<string, string>();
  for (let round = 0; round < ROUNDS; round++) {
    await using server = await startServer({ store });
    const inserts = stream(server, project, round);
    await until("something is stored", () => inserts.stored.size > 0);
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, STREAM_MS);
    await promise;
    const { signal } = await server.kill();
    assert.equal(signal, "SIGKILL");
    await inserts.done;
    for (const [id, name] of inserts.stored) stored.set(id, name);

    await using again = await startServer({ store });
    const { items, total } = await listAll(again, project, "things");
    assert.equal(total, items.length, `round ${round}: the total is what is listed`);
    const found = new Map(items.map((item) => [item._id, item]));
    assert.equal(found.size, items.length, "no document is listed twice");
    for (const [id, name] of stored) {
      const item = found.get(id);
      assert.equal(
        item?.batch ?? item?.code,
        name,
        `round ${round}: ${id} was answered with 201`,
      );
    }
    for (const { batch, code, text, createdAt } of items) {
      assert.equal(text, textOf(batch ?? code), "every document is whole");
      assert.ok(!Number.isNaN(Date.parse(createdAt)));
    }
    const batches = Map.groupBy(items.filter(({ batch }) => batch), ({ batch }) => batch);
    for (const [name, some] of batches) assert.equal(some.length, BULK, `bulk ${name} is whole`);
    const [{ code }] = items.filter(({ code }) => code);
    const path = "/api/data/things";
    const taken = await send(again, { path, key: project.secretKey, body: { code } });
    assert.equal(taken.status, 409, "unique values still hold");
  }
});

/** What a dead process left open in a transaction MongoDB holds for a minute, unless it notices. */
const HELD_MS = 90_000;

/** Sends it again while it is refused for the moment, as it may be after a crash. */
async function untilServed(server: Server, call: Parameters<typeof send>[1]) {
  let answer = await send(server, call);
  await until("the write is served again", async () => {
    if (answer.status === 503) answer = await send(server, call);
    return answer.status !== 503;
  }, HELD_MS);
  return answer;
}

Deno.test("a write that took effect before kill -9 has no second effect when it is sent again", async () => {
  await using store = await createTestStore();
  const { settings } = store;
  const project = await createProject(settings);
  await createCollection(settings, project, THINGS);
  const { secretKey: key } = project;
  const calls = Array.from({ length: 30 }, (_, n) => ({
    path: "/api/data/things",
    key,
    body: { n },
    headers: { "idempotency-key": `order-${n}` },
  }));
  const answered = new Map<number, string>();
  {
    await using server = await startServer({ store });
    const sent = calls.map(async (call, n) => {
      try {
        answered.set(n, (await send(server, call)).body.data._id);
      } catch {
        // The connection died with the server.
      }
      if (answered.size === 10) await server.kill();
    });
    await Promise.all(sent);
    assert.ok(answered.size >= 10);
  }
  await using again = await startServer({ store });
  const answers = await Promise.all(calls.map((call) => untilServed(again, call)));
  for (const [n, { status, body }] of answers.entries()) {
    assert.equal(status, 201);
    if (answered.has(n)) assert.equal(body.data._id, answered.get(n));
  }
  const { items, total } = await listAll(again, project, "things");
  assert.deepEqual(items.map(({ n }) => n).toSorted((a, b) => a - b), calls.map((_, n) => n));
  assert.equal(total, calls.length);
});

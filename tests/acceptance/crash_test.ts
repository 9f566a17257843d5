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

interface InsertStream {
  /** Documents acknowledged with 201, by id. A bulk insert has an entry for each document. */
  readonly stored: Map<string, string>;
  readonly done: Promise<void>;
}

/** Returns a content derived from the name, so that a partial document is detected. */
const contentOf = (name: string) => `${name} `.repeat(40);

/** Inserts over several connections until the server dies: documents, and bulks with a `batch`. */
function startInserting(server: Server, { secretKey: key }: Project, round: number): InsertStream {
  const stored = new Map<string, string>();
  const insert = async (connection: number) => {
    for (let i = 0;; i++) {
      const name = `${round}-${connection}-${i}`;
      const isBulk = connection === 0;
      const path = isBulk ? "/api/data/things/bulk" : "/api/data/things";
      const body = isBulk
        ? { documents: Array(BULK).fill({ batch: name, text: contentOf(name) }) }
        : { code: name, text: contentOf(name) };
      try {
        const answer = await send(server, { path, key, body });
        assert.equal(answer.status, 201, answer.text);
        const ids: string[] = isBulk ? answer.body.data.ids : [answer.body.data._id];
        for (const id of ids) stored.set(id, name);
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        return;
      }
    }
  };
  const done = Promise.all(Array.from({ length: CONNECTIONS }, (_, i) => insert(i)));
  return { stored, done: done.then(() => {}) };
}

Deno.test(`kill -9 during inserts loses no document acknowledged with 201, in ${ROUNDS} rounds`, async () => {
  await using store = await createTestStore();
  const { settings } = store;
  const project = await createProject(settings);
  await createCollection(settings, project, THINGS);
  const stored = new Map<string, string>();
  for (let round = 0; round < ROUNDS; round++) {
    await using server = await startServer({ store });
    const inserts = startInserting(server, project, round);
    await until("some documents are stored", () => inserts.stored.size > 0);
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, STREAM_MS);
    await promise;
    const { signal } = await server.kill();
    assert.equal(signal, "SIGKILL");
    await inserts.done;
    for (const [id, name] of inserts.stored) stored.set(id, name);

    await using again = await startServer({ store });
    const { items, total } = await listAll(again, project, "things");
    assert.equal(
      total,
      items.length,
      `round ${round}: the total equals the number of listed documents`,
    );
    const found = new Map(items.map((item) => [item._id, item]));
    assert.equal(found.size, items.length, "no document is listed twice");
    for (const [id, name] of stored) {
      const item = found.get(id);
      assert.equal(
        item?.batch ?? item?.code,
        name,
        `round ${round}: ${id} was acknowledged with 201`,
      );
    }
    for (const { batch, code, text, createdAt } of items) {
      assert.equal(text, contentOf(batch ?? code), "every document is complete");
      assert.ok(!Number.isNaN(Date.parse(createdAt)));
    }
    const batches = Map.groupBy(items.filter(({ batch }) => batch), ({ batch }) => batch);
    for (const [name, some] of batches) assert.equal(some.length, BULK, `bulk ${name} is complete`);
    const [{ code }] = items.filter(({ code }) => code);
    const path = "/api/data/things";
    const taken = await send(again, { path, key: project.secretKey, body: { code } });
    assert.equal(taken.status, 409, "unique values are still enforced");
  }
});

/** Milliseconds that MongoDB may keep a transaction of a dead process open, plus a margin. */
const HELD_MS = 90_000;

/** Repeats a request while it is refused temporarily, as it may be after a crash. */
async function sendUntilServed(server: Server, call: Parameters<typeof send>[1]) {
  let answer = await send(server, call);
  await until("the write succeeds again", async () => {
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
  const answers = await Promise.all(calls.map((call) => sendUntilServed(again, call)));
  for (const [n, { status, body }] of answers.entries()) {
    assert.equal(status, 201);
    if (answered.has(n)) assert.equal(body.data._id, answered.get(n));
  }
  const { items, total } = await listAll(again, project, "things");
  assert.deepEqual(items.map(({ n }) => n).toSorted((a, b) => a - b), calls.map((_, n) => n));
  assert.equal(total, calls.length);
});

import { Long, MongoClient } from "mongodb";
import assert from "node:assert/strict";
import {
  type Answer,
  type Call,
  createCollection,
  createProject,
  listAll,
  type Project,
  send,
  THINGS,
} from "../acceptance/project.ts";
import { type Server, startServer } from "../acceptance/server.ts";
import { until } from "../acceptance/until.ts";
import { RUNS } from "../property/run.ts";
import { type Mongodb, startMongodb } from "../services/mongodb_server.ts";
import type { TestStore } from "../support/test_store.ts";
import { storeOn } from "./faulty_mongodb.ts";
import { faultTest } from "./fixture.ts";

const ROUNDS = RUNS > 100 ? 20 : 4;
const PATH = "/api/data/things";
const STREAM_MS = [30, 180] as const;
const BACK_MS = 20_000;
const BULK = 5;
/** Milliseconds for log lines to arrive; they are passed on ten times a second. */
const LOGGED_MS = 500;

const OPTIONS = { serverSelectionTimeoutMS: 2000, heartbeatFrequencyMS: 500 };

/** Returns a text that depends on the name, which makes partial documents detectable. */
const documentText = (name: string) => `${name} `.repeat(20);

/** Acknowledged writes, whose results must be found. */
class Ledger {
  readonly inserted = new Map<string, string>();
  /** Ids in the first response by `Idempotency-Key`; null before there is one. */
  readonly once = new Map<string, string | null>();
  readonly counters = new Map<string, number>();
}

interface Traffic {
  readonly server: Server;
  readonly key: string;
  readonly ledger: Ledger;
  readonly round: number;
  /** Whether the driver's retry of a completed write may be refused. */
  readonly mayBeRefused: boolean;
  isOver(): boolean;
}

/** Sends a call; resolves to null if the process ends during the call. */
async function ask({ server, key }: Traffic, call: Call): Promise<Answer | null> {
  const answer = await send(server, { ...call, key }).catch(() => null);
  if (answer?.status !== 500) return answer;
  await new Promise((resolve) => setTimeout(resolve, LOGGED_MS));
  const errors = server.stdout().split("\n").filter((line) => line.includes('"level":"error"'));
  assert.fail(`answered 500: ${errors.at(-1)}`);
}

async function insert(traffic: Traffic, isBulk: boolean): Promise<void> {
  for (let i = 0; !traffic.isOver(); i++) {
    const name = `${isBulk ? "bulk" : "one"}-${traffic.round}-${i}`;
    const document = { text: documentText(name), name };
    const answer = await ask(traffic, {
      path: isBulk ? `${PATH}/bulk` : PATH,
      body: isBulk ? { documents: Array(BULK).fill(document) } : { ...document, code: name },
    });
    if (answer === null) return;
    assertHonest(answer, 201, traffic.mayBeRefused ? 409 : null);
    if (answer.status !== 201) continue;
    const { data } = answer.body;
    for (const id of isBulk ? data.ids : [data._id]) traffic.ledger.inserted.set(id, name);
  }
}

/** Repeats a request with an idempotency key until it is answered, also by the next process. */
async function insertOnce(traffic: Traffic): Promise<void> {
  const { ledger, round } = traffic;
  const open = [...ledger.once].filter(([, id]) => id === null).map(([name]) => name);
  for (let i = 0; open.length > 0 || !traffic.isOver(); i++) {
    const name = open.shift() ?? `once-${round}-${i}`;
    ledger.once.set(name, null);
    const headers = { "idempotency-key": name };
    const answer = await ask(traffic, {
      path: PATH,
      body: { name, text: documentText(name) },
      headers,
    });
    if (answer === null) return;
    assertHonest(answer, 201);
    if (answer.status === 201) ledger.once.set(name, answer.body.data._id);
    else if (!traffic.isOver()) open.unshift(name);
  }
}

/** Increments a counter repeatedly, each time from the version that was read last. */
async function incrementCounter(traffic: Traffic, id: string): Promise<void> {
  const { counters } = traffic.ledger;
  const path = `${PATH}/${id}`;
  while (!traffic.isOver()) {
    const copy = await ask(traffic, { path });
    if (copy === null) return;
    assertHonest(copy, 200);
    if (copy.status !== 200) continue;
    const { n } = copy.body.data;
    const answered = counters.get(id)!;
    // A change without a response may have been stored or not; at most one such change exists.
    assert.ok(n === answered || n === answered + 1, `${answered} was answered, ${n} is stored`);
    counters.set(id, n);
    const headers = { "if-match": copy.headers.get("etag")! };
    const answer = await ask(traffic, { method: "PATCH", path, body: { n: n + 1 }, headers });
    if (answer === null) return;
    assertHonest(answer, 200, traffic.mayBeRefused ? 412 : null);
    if (answer.status === 200) counters.set(id, n + 1);
  }
}

function assertHonest(
  { status, text, headers }: Answer,
  success: number,
  refusal: number | null = null,
): void {
  assert.ok([success, refusal, 503].includes(status), `answered ${status}: ${text}`);
  if (status === 503) assert.match(headers.get("retry-after")!, /^[1-9]\d*$/);
}

async function runWrites(traffic: Traffic): Promise<void> {
  const { counters } = traffic.ledger;
  await Promise.all([
    insert(traffic, false),
    insert(traffic, true),
    insertOnce(traffic),
    ...[...counters.keys()].map((id) => incrementCounter(traffic, id)),
  ]);
}

async function verify(server: Server, project: Project, ledger: Ledger): Promise<void> {
  const { items, total } = await listAll(server, project, "things");
  assert.equal(total, items.length, "the total is the number of listed documents");
  const found = new Map(items.map((item) => [item._id, item]));
  assert.equal(found.size, items.length, "no document is listed twice");
  for (const [id, name] of ledger.inserted) {
    assert.equal(found.get(id)?.name, name, `${id} was answered with 201`);
  }
  const named = Map.groupBy(items.filter(({ name }) => name), ({ name }) => name);
  for (const [name, some] of named) {
    for (const { text } of some) assert.equal(text, documentText(name), `${name} is complete`);
    assert.equal(some.length, name.startsWith("bulk") ? BULK : 1, `${name} is stored once`);
  }
  for (const [name, id] of ledger.once) {
    if (id !== null) assert.equal(named.get(name)?.[0]._id, id, `${name} was answered`);
  }
  for (const [id, n] of ledger.counters) {
    const stored = found.get(id)!.n;
    assert.ok(stored === n || stored === n + 1, `${n} was answered, ${stored} is stored`);
  }
}

/** Waits until writes have run for some time and at least one was acknowledged. */
async function waitForWrites({ inserted }: Ledger): Promise<void> {
  const before = inserted.size;
  await until("something is stored", () => inserted.size > before, BACK_MS);
  const [min, max] = STREAM_MS;
  await new Promise((resolve) => setTimeout(resolve, min + Math.random() * (max - min)));
}

/**
 * Returns whether a killed server forgets which numbered writes it has completed, as the stand-in
 * does. It then runs the driver's retry as a new write.
 */
async function forgetsAtCrashes(): Promise<boolean> {
  await using first = await startMongodb({ syncOnCommit: true });
  const { folder, port, url } = first;
  await using client = new MongoClient(url, { retryWrites: false });
  await using session = client.startSession();
  const write = () =>
    client.db("probe").command(
      { insert: "writes", documents: [{ _id: 1 }], txnNumber: Long.ONE },
      { session },
    );
  await write();
  await first.kill();
  await using _second = await startMongodb({ folder, port, syncOnCommit: true });
  const answers = () => client.db("probe").command({ ping: 1 }).then(() => true, () => false);
  await until("it answers", answers, BACK_MS);
  const again = await write();
  return again.writeErrors !== undefined;
}

async function prepareStore(mongodb: Mongodb): Promise<{ store: TestStore; project: Project }> {
  const store = await storeOn(mongodb.url, OPTIONS);
  const project = await createProject(store.settings);
  await createCollection(store.settings, project, THINGS);
  return { store, project };
}

async function ledgerWithCounters(server: Server, { secretKey: key }: Project): Promise<Ledger> {
  const ledger = new Ledger();
  for (let i = 0; i < 3; i++) {
    const { body } = await send(server, { path: PATH, key, body: { n: 0 } });
    ledger.counters.set(body.data._id, 0);
  }
  return ledger;
}

faultTest(
  `kill -9 of MongoDB during writes loses and repeats no acknowledged write (${ROUNDS} times)`,
  async () => {
    await using mongodb = await startMongodb({ syncOnCommit: true });
    const { folder, port } = mongodb;
    const { store, project } = await prepareStore(mongodb);
    await using _store = store;
    await using server = await startServer({ store });
    const { secretKey: key } = project;
    const ledger = await ledgerWithCounters(server, project);
    const mayBeRefused = await forgetsAtCrashes();
    let running = mongodb;
    try {
      for (let round = 0; round < ROUNDS; round++) {
        let isOver = false;
        const flowing = runWrites({
          server,
          key,
          ledger,
          round,
          mayBeRefused,
          isOver: () => isOver,
        });
        await waitForWrites(ledger);
        await running.kill();
        running = await startMongodb({ folder, port, syncOnCommit: true });
        const isServed = async () =>
          (await send(server, { path: PATH, key, body: { n: -1 } })).status === 201;
        await until("writes are accepted again", isServed, BACK_MS);
        isOver = true;
        await flowing;
        await verify(server, project, ledger);
      }
    } finally {
      if (running !== mongodb) await running[Symbol.asyncDispose]();
    }
  },
);

faultTest(
  `kill -9 of Corbel during writes loses and repeats no acknowledged write (${ROUNDS} times)`,
  async () => {
    await using mongodb = await startMongodb();
    const { store, project } = await prepareStore(mongodb);
    await using _store = store;
    const { secretKey: key } = project;
    let ledger: Ledger | undefined;
    for (let round = 0; round <= ROUNDS; round++) {
      await using server = await startServer({ store });
      ledger ??= await ledgerWithCounters(server, project);
      await verify(server, project, ledger);
      if (round === ROUNDS) break;
      const flowing = runWrites({
        server,
        key,
        ledger,
        round,
        mayBeRefused: false,
        isOver: () => false,
      });
      await waitForWrites(ledger);
      const { signal } = await server.kill();
      assert.equal(signal, "SIGKILL");
      await flowing;
    }
  },
);

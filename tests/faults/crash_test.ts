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
/** Lines are handed over ten times a second. */
const LOGGED_MS = 500;

const OPTIONS = { serverSelectionTimeoutMS: 2000, heartbeatFrequencyMS: 500 };

/** The content follows from the name, so that half of a document is noticed. */
const textOf = (name: string) => `${name} `.repeat(20);

/** What has been answered with success so far, and must be found. */
class Ledger {
  /** By id, the names of documents. */
  readonly inserted = new Map<string, string>();
  /** By `Idempotency-Key`, the id that the first answer named; null before there is one. */
  readonly once = new Map<string, string | null>();
  /** By id, the number that a counter was answered to have. */
  readonly counters = new Map<string, number>();
}

interface Traffic {
  readonly server: Server;
  readonly key: string;
  readonly ledger: Ledger;
  readonly round: number;
  /** Whether a write that was done may be refused when the driver sends it a second time. */
  readonly mayBeRefused: boolean;
  isOver(): boolean;
}

/** Null when the process went while it was asked. */
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
    const document = { text: textOf(name), name };
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

/** Each is sent again until it is answered, also by the next process. */
async function insertOnce(traffic: Traffic): Promise<void> {
  const { ledger, round } = traffic;
  const open = [...ledger.once].filter(([, id]) => id === null).map(([name]) => name);
  for (let i = 0; open.length > 0 || !traffic.isOver(); i++) {
    const name = open.shift() ?? `once-${round}-${i}`;
    ledger.once.set(name, null);
    const headers = { "idempotency-key": name };
    const answer = await ask(traffic, { path: PATH, body: { name, text: textOf(name) }, headers });
    if (answer === null) return;
    assertHonest(answer, 201);
    if (answer.status === 201) ledger.once.set(name, answer.body.data._id);
    else if (!traffic.isOver()) open.unshift(name);
  }
}

/** Raises a counter by one at a time, each time from the copy that was read last. */
async function raise(traffic: Traffic, id: string): Promise<void> {
  const { counters } = traffic.ledger;
  const path = `${PATH}/${id}`;
  while (!traffic.isOver()) {
    const copy = await ask(traffic, { path });
    if (copy === null) return;
    assertHonest(copy, 200);
    if (copy.status !== 200) continue;
    const { n } = copy.body.data;
    const answered = counters.get(id)!;
    // Of a change that was not answered nobody knows; of more than one nobody should.
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

async function flow(traffic: Traffic): Promise<void> {
  const { counters } = traffic.ledger;
  await Promise.all([
    insert(traffic, false),
    insert(traffic, true),
    insertOnce(traffic),
    ...[...counters.keys()].map((id) => raise(traffic, id)),
  ]);
}

async function verify(server: Server, project: Project, ledger: Ledger): Promise<void> {
  const { items, total } = await listAll(server, project, "things");
  assert.equal(total, items.length, "the total is what is listed");
  const found = new Map(items.map((item) => [item._id, item]));
  assert.equal(found.size, items.length, "no document is listed twice");
  for (const [id, name] of ledger.inserted) {
    assert.equal(found.get(id)?.name, name, `${id} was answered with 201`);
  }
  const named = Map.groupBy(items.filter(({ name }) => name), ({ name }) => name);
  for (const [name, some] of named) {
    for (const { text } of some) assert.equal(text, textOf(name), `${name} is whole`);
    assert.equal(some.length, name.startsWith("bulk") ? BULK : 1, `${name} is there once`);
  }
  for (const [name, id] of ledger.once) {
    if (id !== null) assert.equal(named.get(name)?.[0]._id, id, `${name} was answered`);
  }
  for (const [id, n] of ledger.counters) {
    const stored = found.get(id)!.n;
    assert.ok(stored === n || stored === n + 1, `${n} was answered, ${stored} is stored`);
  }
}

/** Some time of a stream of writes, of which at least one was answered. */
async function aWhile({ inserted }: Ledger): Promise<void> {
  const before = inserted.size;
  await until("something is stored", () => inserted.size > before, BACK_MS);
  const [min, max] = STREAM_MS;
  await new Promise((resolve) => setTimeout(resolve, min + Math.random() * (max - min)));
}

/**
 * Whether this server forgets, when it is killed, which numbered writes it has done, as none should:
 * it then takes the second sending of a write for another one. The stand-in does.
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

async function prepared(mongodb: Mongodb): Promise<{ store: TestStore; project: Project }> {
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
  `kill -9 of MongoDB during writes loses nothing that was answered and repeats nothing, ${ROUNDS} times over`,
  async () => {
    await using mongodb = await startMongodb({ syncOnCommit: true });
    const { folder, port } = mongodb;
    const { store, project } = await prepared(mongodb);
    await using _store = store;
    await using server = await startServer({ store });
    const { secretKey: key } = project;
    const ledger = await ledgerWithCounters(server, project);
    const mayBeRefused = await forgetsAtCrashes();
    let running = mongodb;
    try {
      for (let round = 0; round < ROUNDS; round++) {
        let isOver = false;
        const flowing = flow({ server, key, ledger, round, mayBeRefused, isOver: () => isOver });
        await aWhile(ledger);
        await running.kill();
        running = await startMongodb({ folder, port, syncOnCommit: true });
        const isServed = async () =>
          (await send(server, { path: PATH, key, body: { n: -1 } })).status === 201;
        await until("writes are taken again", isServed, BACK_MS);
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
  `kill -9 of Corbel during writes to MongoDB loses nothing that was answered and repeats nothing, ${ROUNDS} times over`,
  async () => {
    await using mongodb = await startMongodb();
    const { store, project } = await prepared(mongodb);
    await using _store = store;
    const { secretKey: key } = project;
    let ledger: Ledger | undefined;
    for (let round = 0; round <= ROUNDS; round++) {
      await using server = await startServer({ store });
      ledger ??= await ledgerWithCounters(server, project);
      await verify(server, project, ledger);
      if (round === ROUNDS) break;
      const flowing = flow({
        server,
        key,
        ledger,
        round,
        mayBeRefused: false,
        isOver: () => false,
      });
      await aWhile(ledger);
      const { signal } = await server.kill();
      assert.equal(signal, "SIGKILL");
      await flowing;
    }
  },
);

import assert from "node:assert/strict";
import { RUNS } from "../property/run.ts";
import { createTestStore, database } from "../support/test_store.ts";
import { createCollection, createProject, listAll, type Project, send, THINGS } from "./project.ts";
import { connect, type RawConnection } from "./raw.ts";
import { refusedStart } from "./refused_start.ts";
import { accepts, type Server, startServer } from "./server.ts";
import { byThread } from "./threads.ts";
import { until } from "./until.ts";

const WORKERS = "3";
const PATH = "/api/data/things";
const STOP_MS = 10_000;
const KILLS = RUNS > 100 ? 5 : 2;
/** Fewer of a thousand a thread keeps to itself. */
const UNTOLD = 10;

const linesOf = (stdout: string) => stdout.trimEnd().split("\n").map((line) => JSON.parse(line));

/** Closes the clients that {@linkcode byThread} made. */
function closing(servers: readonly Server[]): Disposable {
  return { [Symbol.dispose]: () => servers.forEach(({ http }) => http.close()) };
}

async function openThings(server: Server): Promise<Project> {
  const project = await createProject(server.settings);
  await createCollection(server.settings, project, THINGS);
  return project;
}

Deno.test("all threads serve when it is logged, once, that the server listens", async () => {
  await using server = await startServer({ settings: { WORKERS } });
  const threads = await byThread(server, Number(WORKERS));
  using _clients = closing(threads);
  for (const thread of threads) {
    assert.equal((await send(thread, { path: "/api/health/ready" })).status, 200);
  }
  const { code, stdout, stderr } = await server.stop();
  assert.deepEqual([code, stderr], [0, ""]);
  const lines = linesOf(stdout);
  const [listening, ...more] = lines.filter(({ message }) => message === "Listening");
  assert.deepEqual([listening.port, listening.workers, more], [server.port, 3, []]);
  assert.equal(lines.filter(({ message }) => message === "Stopping").length, 1);
  const keyRings = lines.filter(({ message }) => /key ring/.test(message)).length;
  assert.equal(keyRings, database === "sqlite" ? 1 : 0, "one thread makes the key ring");
});

Deno.test("every request of every thread has a whole line in the one log", async () => {
  await using server = await startServer({ settings: { WORKERS } });
  const answers = await Promise.all(
    Array.from({ length: 600 }, () => send(server, { path: "/api/health" })),
  );
  const { stdout } = await server.stop();
  const logged = new Set(linesOf(stdout).map(({ requestId }) => requestId));
  for (const { headers } of answers) assert.ok(logged.has(headers.get("x-request-id")));
});

/** A request of which the server has the head and waits for the rest. */
async function begun(server: Server, key: string, body: string): Promise<RawConnection> {
  const connection = await connect(server.port);
  await connection.write(
    `POST ${PATH} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n` +
      `x-api-key: ${key}\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
  );
  await until("the body is asked for", () => connection.received().includes("100 Continue"));
  return connection;
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`${signal} lets what each thread has in flight end, and exits with 0`, async () => {
    await using server = await startServer({ settings: { WORKERS } });
    const project = await openThings(server);
    const bodies = Array.from({ length: 12 }, (_, n) => JSON.stringify({ n, code: `upload ${n}` }));
    const uploads = await Promise.all(
      bodies.map((body) => begun(server, project.secretKey, body)),
    );
    server.signal(signal);
    await until("the stop is logged", () => server.stdout().includes("Stopping"));
    for (const [n, upload] of uploads.entries()) assert.ok(await upload.write(bodies[n]!));
    const ids = new Set<string>();
    for (const upload of uploads) {
      using _upload = upload;
      const answer = await upload.answer();
      assert.equal(answer.status, 201, answer.head);
      ids.add(/^x-request-id: (\w+)-/im.exec(answer.head)![1]!);
    }
    assert.ok(ids.size > 1, "they were in flight in more than one thread");
    const { code, signal: killedBy, stderr } = await server.ended;
    assert.deepEqual([code, killedBy, stderr], [0, null, ""]);
    assert.ok(!await accepts(server.port));
    if (database === "sqlite") {
      const left = [...Deno.readDirSync(server.store.folder)].map(({ name }) => name);
      assert.deepEqual(left.filter((name) => /-(wal|shm)$/.test(name)), [], "stores are closed");
    }
    await using again = await startServer({ store: server.store });
    assert.equal((await listAll(again, project, "things")).total, bodies.length);
  });
}

Deno.test("a request that never ends holds all threads for 10 s and no longer", async () => {
  await using server = await startServer({ settings: { WORKERS } });
  const project = await openThings(server);
  using _connection = await begun(server, project.secretKey, JSON.stringify({ n: 1 }));
  const signalled = performance.now();
  server.signal("SIGTERM");
  await until("the process ends", () => server.hasEnded(), STOP_MS + 3000);
  const waited = performance.now() - signalled;
  assert.ok(waited > STOP_MS - 1000, `it was waited for ${waited} ms only`);
  const { code, stderr } = await server.ended;
  assert.deepEqual([code, stderr], [0, ""]);
});

Deno.test("threads share a port with each other and with no other process", async () => {
  await using store = await createTestStore();
  for (const [held, ...others] of [["3", "1", "3"], ["1", "3"]] as const) {
    await using server = await startServer({ settings: { WORKERS: held } });
    const PORT = String(server.port);
    for (const asked of others) {
      const told = await refusedStart({ ...store.settings, PORT, WORKERS: asked });
      assert.match(told, /^Cannot listen on [^\n]*: the port is in use[^\n]*\n$/, "told once");
      assert.equal((await send(server, { path: "/api/health" })).status, 200);
    }
  }
});

Deno.test("dev with several threads makes one demo and greets once", async () => {
  await using server = await startServer({ task: "dev", settings: { WORKERS } });
  await until("the greeting is printed", () => /with a demo project/.test(server.stdout()));
  const { stdout } = await server.stop();
  assert.equal(stdout.match(/Corbel is running/g)!.length, 1);
});

Deno.test("a rate limit counts what all threads answer, and nothing twice, within some seconds", async () => {
  const limit = 1000;
  const settings = { WORKERS: "2", RATE_LIMIT_PER_MINUTE: String(limit) };
  await using server = await startServer({ settings });
  const { publishableKey: key } = await openThings(server);
  const threads = await byThread(server, 2);
  using _clients = closing(threads);
  const minute = () => Math.floor(Date.now() / 60_000);
  for (;;) {
    const began = minute();
    const isOver = () => minute() !== began; // And with it all counts.
    let asked = 0;
    /** How many requests the thread does not know of. */
    const unknownTo = async (thread: Server) => {
      const { headers } = await send(thread, { path: PATH, key });
      asked++;
      const unknown = asked - (limit - Number(headers.get("ratelimit-remaining")));
      assert.ok(unknown >= 0 || isOver(), "no request is counted twice");
      return unknown;
    };
    for (let n = 0; n < 60; n++) await unknownTo(threads[0]!);
    for (const thread of threads.toReversed()) {
      const knowsMost = async () => isOver() || await unknownTo(thread) <= UNTOLD;
      await until("a thread has counted what the other answered", knowsMost);
    }
    if (!isOver()) return;
  }
});

Deno.test("kill -9 of all threads loses nothing that one of them answered with 201", async () => {
  await using store = await createTestStore();
  const settings = { WORKERS: "2" };
  let project: Project | null = null;
  const stored = new Map<string, number>();
  let n = 0;
  for (let round = 0; round < KILLS; round++) {
    await using server = await startServer({ store, settings });
    const { secretKey: key } = project ??= await openThings(server);
    const threads = await byThread(server, 2);
    using _clients = closing(threads);
    const enough = stored.size + 100;
    await Promise.all(Array.from({ length: 8 }, async (_, i) => {
      for (;;) {
        const value = n++;
        const call = { path: PATH, key, body: { n: value, code: `value ${value}` } };
        const answer = await send(threads[i % 2]!, call).catch(() => null);
        if (answer === null) return; // The connection died with the server.
        assert.equal(answer.status, 201, answer.text);
        stored.set(answer.body.data._id, value);
        if (stored.size === enough) await server.kill();
      }
    }));
    await using again = await startServer({ store, settings });
    const { items, total } = await listAll(again, project, "things");
    assert.equal(total, items.length, "the total is what is listed");
    const found = new Map(items.map((item) => [item._id, item.n]));
    for (const [id, value] of stored) assert.equal(found.get(id), value, `round ${round}: ${id}`);
    const taken = await send(again, { path: PATH, key, body: { code: items[0].code } });
    assert.equal(taken.status, 409, "unique values still hold");
  }
});

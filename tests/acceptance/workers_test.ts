import assert from "node:assert/strict";
import { RUNS } from "../property/run.ts";
import { createTestStore, database } from "../support/test_store.ts";
import { createCollection, createProject, listAll, type Project, send, THINGS } from "./project.ts";
import { connect, type RawConnection } from "./raw.ts";
import { refusedStart } from "./refused_start.ts";
import { acceptsConnections, type Server, startServer } from "./server.ts";
import { clientsByThread } from "./threads.ts";
import { until } from "./until.ts";

const WORKERS = "3";
const PATH = "/api/data/things";
const STOP_MS = 10_000;
const KILLS = RUNS > 100 ? 5 : 2;
/** Number of a thousand requests that a thread may not have shared yet. */
const UNSHARED_REQUESTS_MAX = 10;

const linesOf = (stdout: string) => stdout.trimEnd().split("\n").map((line) => JSON.parse(line));

function disposableClients(servers: readonly Server[]): Disposable {
  return { [Symbol.dispose]: () => servers.forEach(({ http }) => http.close()) };
}

async function openThings(server: Server): Promise<Project> {
  const project = await createProject(server.settings);
  await createCollection(server.settings, project, THINGS);
  return project;
}

Deno.test("all threads serve once the server logs, once, that it listens", async () => {
  await using server = await startServer({ settings: { WORKERS } });
  const threads = await clientsByThread(server, Number(WORKERS));
  using _clients = disposableClients(threads);
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
  assert.equal(keyRings, database === "sqlite" ? 1 : 0, "one thread creates the key ring");
});

Deno.test("every request of every thread has one complete line in the log", async () => {
  await using server = await startServer({ settings: { WORKERS } });
  const answers = await Promise.all(
    Array.from({ length: 600 }, () => send(server, { path: "/api/health" })),
  );
  const { stdout } = await server.stop();
  const logged = new Set(linesOf(stdout).map(({ requestId }) => requestId));
  for (const { headers } of answers) assert.ok(logged.has(headers.get("x-request-id")));
});

/** Sends a request without its end, and waits until the server has read the head. */
async function startRequest(server: Server, key: string, body: string): Promise<RawConnection> {
  const connection = await connect(server.port);
  await connection.write(
    `POST ${PATH} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n` +
      `x-api-key: ${key}\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
  );
  await until("the server asks for the body", () => connection.received().includes("100 Continue"));
  return connection;
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`${signal} completes requests in flight in each thread and exits with 0`, async () => {
    await using server = await startServer({ settings: { WORKERS } });
    const project = await openThings(server);
    const bodies = Array.from({ length: 12 }, (_, n) => JSON.stringify({ n, code: `upload ${n}` }));
    const uploads = await Promise.all(
      bodies.map((body) => startRequest(server, project.secretKey, body)),
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
    assert.ok(ids.size > 1, "requests were in flight in more than one thread");
    const { code, signal: killedBy, stderr } = await server.ended;
    assert.deepEqual([code, killedBy, stderr], [0, null, ""]);
    assert.ok(!await acceptsConnections(server.port));
    if (database === "sqlite") {
      const left = [...Deno.readDirSync(server.store.folder)].map(({ name }) => name);
      assert.deepEqual(left.filter((name) => /-(wal|shm)$/.test(name)), [], "stores are closed");
    }
    await using again = await startServer({ store: server.store });
    assert.equal((await listAll(again, project, "things")).total, bodies.length);
  });
}

Deno.test("a request that never ends delays the stop of all threads for 10 s at most", async () => {
  await using server = await startServer({ settings: { WORKERS } });
  const project = await openThings(server);
  using _connection = await startRequest(server, project.secretKey, JSON.stringify({ n: 1 }));
  const signalled = performance.now();
  server.signal("SIGTERM");
  await until("the process ends", () => server.hasEnded(), STOP_MS + 3000);
  const waited = performance.now() - signalled;
  assert.ok(waited > STOP_MS - 1000, `the server waited for only ${waited} ms`);
  const { code, stderr } = await server.ended;
  assert.deepEqual([code, stderr], [0, ""]);
});

Deno.test("threads share a port with each other but not with another process", async () => {
  await using store = await createTestStore();
  for (const [held, ...others] of [["3", "1", "3"], ["1", "3"]] as const) {
    await using server = await startServer({ settings: { WORKERS: held } });
    const PORT = String(server.port);
    for (const asked of others) {
      const output = await refusedStart({ ...store.settings, PORT, WORKERS: asked });
      assert.match(
        output,
        /^Cannot listen on [^\n]*: the port is in use[^\n]*\n$/,
        "reported once",
      );
      assert.equal((await send(server, { path: "/api/health" })).status, 200);
    }
  }
});

Deno.test("dev with several threads creates one demo and prints one greeting", async () => {
  await using server = await startServer({ task: "dev", settings: { WORKERS } });
  await until("the greeting is printed", () => /with a demo project/.test(server.stdout()));
  const { stdout } = await server.stop();
  assert.equal(stdout.match(/Corbel is running/g)!.length, 1);
});

Deno.test("a rate limit counts each request of all threads once, within some seconds", async () => {
  const limit = 1000;
  const settings = { WORKERS: "2", RATE_LIMIT_PER_MINUTE: String(limit) };
  await using server = await startServer({ settings });
  const { publishableKey: key } = await openThings(server);
  const threads = await clientsByThread(server, 2);
  using _clients = disposableClients(threads);
  const minute = () => Math.floor(Date.now() / 60_000);
  for (;;) {
    const began = minute();
    const isOver = () => minute() !== began; // All counts start again with the minute.
    let asked = 0;
    const unknownTo = async (thread: Server) => {
      const { headers } = await send(thread, { path: PATH, key });
      asked++;
      const unknown = asked - (limit - Number(headers.get("ratelimit-remaining")));
      assert.ok(unknown >= 0 || isOver(), "no request is counted twice");
      return unknown;
    };
    for (let n = 0; n < 60; n++) await unknownTo(threads[0]!);
    for (const thread of threads.toReversed()) {
      const knowsMost = async () => isOver() || await unknownTo(thread) <= UNSHARED_REQUESTS_MAX;
      await until("a thread has counted the requests of the others", knowsMost);
    }
    if (!isOver()) return;
  }
});

Deno.test("kill -9 of all threads loses no document acknowledged with 201", async () => {
  await using store = await createTestStore();
  const settings = { WORKERS: "2" };
  let project: Project | null = null;
  const stored = new Map<string, number>();
  let n = 0;
  for (let round = 0; round < KILLS; round++) {
    await using server = await startServer({ store, settings });
    const { secretKey: key } = project ??= await openThings(server);
    const threads = await clientsByThread(server, 2);
    using _clients = disposableClients(threads);
    const enough = stored.size + 100;
    await Promise.all(Array.from({ length: 8 }, async (_, i) => {
      for (;;) {
        const value = n++;
        const call = { path: PATH, key, body: { n: value, code: `value ${value}` } };
        const answer = await send(threads[i % 2]!, call).catch(() => null);
        if (answer === null) return;
        assert.equal(answer.status, 201, answer.text);
        stored.set(answer.body.data._id, value);
        if (stored.size === enough) await server.kill();
      }
    }));
    await using again = await startServer({ store, settings });
    const { items, total } = await listAll(again, project, "things");
    assert.equal(total, items.length, "the total equals the number of listed documents");
    const found = new Map(items.map((item) => [item._id, item.n]));
    for (const [id, value] of stored) assert.equal(found.get(id), value, `round ${round}: ${id}`);
    const taken = await send(again, { path: PATH, key, body: { code: items[0].code } });
    assert.equal(taken.status, 409, "unique values are still enforced");
  }
});

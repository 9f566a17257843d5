import assert from "node:assert/strict";
import { database } from "../support/test_store.ts";
import { createCollection, createProject, listAll, send, THINGS } from "./project.ts";
import { connect, exchange, type RawConnection } from "./raw.ts";
import { acceptsConnections, type Server, startServer } from "./server.ts";
import { until } from "./until.ts";
import { SLOW_PATTERN, slowText } from "../support/slow_pattern.ts";

const STOP_MS = 10_000;
const REFUSE_MS = 2000;
const UPLOADS = 5;
const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** A started upload of a document, without its last half. */
interface HalfSentUpload {
  readonly connection: RawConnection;
  readonly rest: string;
}

async function sendHalf(server: Server, key: string, document: unknown): Promise<HalfSentUpload> {
  const body = JSON.stringify(document);
  const connection = await connect(server.port);
  const half = body.length >> 1;
  await connection.write(
    "POST /api/data/things HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n" +
      `x-api-key: ${key}\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, half)}`,
  );
  return { connection, rest: body.slice(half) };
}

const HEALTH = "GET /api/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

async function acceptsRequests({ port }: Server): Promise<boolean> {
  if (!await acceptsConnections(port)) return false;
  try {
    return (await exchange(port, HEALTH)).status === 200;
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionRefused) return false;
    throw error;
  }
}

/**
 * Waits until the server has read earlier requests: later requests on new connections were
 * answered, and a server reads open connections first.
 */
async function waitUntilRead({ port }: Server): Promise<void> {
  for (let later = 0; later < 5; later++) {
    assert.equal((await exchange(port, HEALTH)).status, 200);
  }
}

for (const signal of SIGNALS) {
  Deno.test(`${signal} completes uploads in flight, refuses new requests and exits with 0`, async () => {
    await using server = await startServer();
    const { settings, store } = server;
    const project = await createProject(settings);
    await createCollection(settings, project, THINGS);
    const texts = Array.from({ length: UPLOADS }, (_, i) => `upload ${i} ${"x".repeat(2000)}`);
    const uploads = await Promise.all(
      texts.map((text) => sendHalf(server, project.secretKey, { text })),
    );
    using idle = await connect(server.port);
    await waitUntilRead(server);

    const signalled = performance.now();
    server.signal(signal);
    await until("new requests are refused", async () => !await acceptsRequests(server), REFUSE_MS);
    assert.ok(!server.hasEnded(), "the server waits for requests in flight");

    for (const { connection, rest } of uploads) assert.ok(await connection.write(rest));
    const answers = await Promise.all(uploads.map(({ connection }) => connection.answer()));
    for (const [i, answer] of answers.entries()) {
      assert.equal(answer.status, 201, answer.head);
      assert.equal(JSON.parse(answer.body).data.text, texts[i]);
    }
    const { code, signal: killedBy, stdout, stderr } = await server.ended;
    assert.deepEqual([code, killedBy], [0, null]);
    assert.ok(performance.now() - signalled < STOP_MS);
    assert.ok(!await acceptsConnections(server.port));
    await until("idle connections are closed", () => idle.isClosed(), REFUSE_MS);
    for (const { connection } of uploads) connection[Symbol.dispose]();

    assert.equal(
      stderr.split("\n").filter((line) => !line.startsWith("{") && line !== "").join(),
      "",
    );
    assert.ok(stdout.endsWith("}\n"), "the last line of the log is complete");
    const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    const stored = lines.filter((line) => line.status === 201);
    assert.equal(stored.length, UPLOADS, "late requests are in the log");
    assert.ok(lines.some(({ message }) => message === "Stopping"));

    if (database === "sqlite") {
      const left = [...Deno.readDirSync(store.folder)].map(({ name }) => name);
      assert.deepEqual(left.filter((name) => /-(wal|shm)$/.test(name)), [], "the store was closed");
    }
    await using again = await startServer({ store });
    const { items, total } = await listAll(again, project, "things");
    assert.equal(total, UPLOADS);
    assert.deepEqual(items.map(({ text }) => text).sort(), texts.toSorted());
  });
}

Deno.test("a response in flight is sent completely while new connections are refused", async () => {
  await using server = await startServer();
  const { settings, port } = server;
  const project = await createProject(settings);
  await createCollection(settings, project, THINGS);
  const key = project.secretKey;
  const documents = Array.from({ length: 50 }, () => ({ text: "x".repeat(100_000) }));
  const bulk = { path: "/api/data/things/bulk", key, body: { documents } };
  for (let i = 0; i < 4; i++) assert.equal((await send(server, bulk)).status, 201);

  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(
    `GET /api/data/things HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\n\r\n`,
  ));
  const first = new Uint8Array(64 * 1024);
  const count = await connection.read(first);
  server.signal("SIGTERM");
  await until(
    "new connections are refused",
    async () => !await acceptsConnections(port),
    REFUSE_MS,
  );
  assert.ok(!server.hasEnded(), "the server waits for the response");

  const begin = new TextDecoder().decode(first.subarray(0, count!));
  const expected = Number(/^content-length: *(\d+)/im.exec(begin)![1]);
  let received = count! - begin.indexOf("\r\n\r\n") - 4;
  const buffer = new Uint8Array(1024 * 1024);
  for (let more; (more = await connection.read(buffer)) !== null;) received += more;
  assert.equal(received, expected);
  assert.equal((await server.ended).code, 0);
});

/** Asserts that a blocked stop ends at the time limit with exit code 0. */
async function assertStopsAtLimit(server: Server): Promise<void> {
  const signalled = performance.now();
  server.signal("SIGTERM");
  await until("the process ends", () => server.hasEnded(), STOP_MS + 3000);
  const waited = performance.now() - signalled;
  assert.ok(waited > STOP_MS - 1000, `the server waited for only ${waited} ms`);
  const { code, stderr } = await server.ended;
  assert.equal(code, 0);
  assert.doesNotMatch(stderr, /^\s+at |uncaught/im);
}

Deno.test("a request that never ends delays a stop for 10 s at most", async () => {
  await using server = await startServer();
  const project = await createProject(server.settings);
  await createCollection(server.settings, project, THINGS);
  const { connection } = await sendHalf(server, project.secretKey, { text: "never complete" });
  using _connection = connection;
  await waitUntilRead(server);
  await assertStopsAtLimit(server);
  await using again = await startServer({ store: server.store });
  assert.deepEqual(await listAll(again, project, "things"), { items: [], total: 0 });
});

const SLOW =
  "a slow query under way holds a stop for 10 s and no longer, and leaves nothing behind";

Deno.test({
  name: SLOW +
    (database === "sqlite" ? "" : " (left out: MongoDB's queries are not in our process)"),
  ignore: database !== "sqlite",
  fn: stopDuringSlowQuery,
});

async function stopDuringSlowQuery(): Promise<void> {
  const settings = { QUERY_TIME_LIMIT_MS: "30000" };
  await using server = await startServer({ settings });
  const project = await createProject(server.settings);
  await createCollection(server.settings, project, THINGS);
  const key = project.secretKey;
  for (let i = 0; i < 30; i++) {
    const documents = Array.from({ length: 100 }, (_, n) => ({ text: slowText(100 * i + n) }));
    const bulk = { path: "/api/data/things/bulk", key, body: { documents } };
    assert.equal((await send(server, bulk)).status, 201);
  }

  // The pattern takes about 10 ms for each of three thousand texts.
  const slow = `/api/data/things?text_regex=${encodeURIComponent(SLOW_PATTERN)}`;
  using connection = await connect(server.port);
  await connection.write(`GET ${slow} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\n\r\n`);
  await waitUntilRead(server);
  await assertStopsAtLimit(server);
  const left = [...Deno.readDirSync(`${server.store.folder}/projects`)].map(({ name }) => name);
  assert.deepEqual(left, [`${project.projectId}.db`], "the store was closed");
}

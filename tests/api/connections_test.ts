/** Tests of accepting, keeping and closing connections over real sockets. */

import assert from "node:assert/strict";
import type { ConnectionShortage } from "@/lib/runtime/connection_shortage.ts";
import { type ConnectionOptions, type Fetch, serveConnections } from "@/routes/connections.ts";
import { connect, type RawConnection } from "../acceptance/raw.ts";
import { until } from "../acceptance/until.ts";

const SOON_MS = 10_000;
const REQUEST = "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";
const LONG_TIME = { firstRequestMs: 600_000, idleMs: 600_000 };

interface TestServer extends AsyncDisposable {
  readonly port: number;
  /** Numbers of connections that were closed at each shortage. */
  readonly shortages: number[];
  connect(): Promise<RawConnection>;
}

interface TestServerOptions extends Partial<ConnectionOptions> {
  readonly fetch?: Fetch;
  /** Number of times that accepting fails for lack of a file descriptor. */
  readonly failures?: number;
}

function open(
  { fetch = () => new Response("yes"), failures = 0, ...options }: TestServerOptions,
): TestServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const shortages: number[] = [];
  const shortage: ConnectionShortage = {
    note: (closed) => void shortages.push(closed),
    isRecent: () => shortages.length > 0,
  };
  let left = failures;
  const accept = () =>
    left-- > 0 ? Promise.reject(new Error("Too many open files (os error 24)")) : listener.accept();
  const failing = new Proxy(listener, {
    get: (target, name) =>
      name === "accept" ? accept : Reflect.get(target, name, target).bind?.(target),
  });
  const connections = serveConnections(failing, fetch, {
    max: 100,
    shortage,
    ...LONG_TIME,
    ...options,
  });
  const opened: RawConnection[] = [];
  return {
    port: listener.addr.port,
    shortages,
    async connect() {
      const connection = await connect(listener.addr.port);
      opened.push(connection);
      return connection;
    },
    async [Symbol.asyncDispose]() {
      await connections.shutdown();
      await connections.finished;
      await until("all are closed", () => opened.every((one) => one.isClosed()), SOON_MS);
      opened.forEach((connection) => connection[Symbol.dispose]());
    },
  };
}

const ask = async (connection: RawConnection): Promise<number | null> => {
  await connection.write(REQUEST);
  return (await connection.answer()).status;
};

Deno.test("the server continues after failures to accept connections, and closes idle ones", async () => {
  await using server = open({ failures: 5 });
  const connection = await server.connect();
  assert.equal(await ask(connection), 200);
  assert.deepEqual(server.shortages, [0, 0, 0, 0, 0]);
});

Deno.test("beyond the limit, the longest idle connections are closed, and no busy ones", async () => {
  const answer = Promise.withResolvers<void>();
  const fetch: Fetch = async () => {
    await answer.promise;
    return new Response("yes");
  };
  await using server = open({ max: 8, fetch });
  const busy = await server.connect();
  await busy.write(REQUEST);
  const idle: RawConnection[] = [];
  for (let i = 0; i < 7; i++) idle.push(await server.connect());
  const more = [await server.connect(), await server.connect()];
  await more.at(-1)!.write(REQUEST);
  await until("two are closed", () => idle.filter((one) => one.isClosed()).length === 2, SOON_MS);
  answer.resolve();
  assert.equal((await more.at(-1)!.answer()).status, 200);
  assert.equal((await busy.answer()).status, 200);
  assert.deepEqual(idle.map((one) => one.isClosed()).slice(0, 3), [true, true, false]);
  assert.ok(server.shortages.length > 0);
});

Deno.test("a full server accepts more when a request ends", async () => {
  const answers: PromiseWithResolvers<void>[] = [];
  const fetch: Fetch = async () => {
    const answer = Promise.withResolvers<void>();
    answers.push(answer);
    await answer.promise;
    return new Response("yes");
  };
  await using server = open({ max: 2, fetch });
  const busy = [await server.connect(), await server.connect()];
  for (const one of busy) await one.write(REQUEST);
  await until("both requests are under way", () => answers.length === 2, SOON_MS);
  const later = await server.connect();
  await later.write(REQUEST);
  await until("the server reports a shortage", () => server.shortages.length > 0, SOON_MS);
  assert.equal(answers.length, 2);
  answers[0]!.resolve();
  await until("the later request is under way", () => answers.length === 3, SOON_MS);
  answers.forEach(({ resolve }) => resolve());
  assert.equal((await later.answer()).status, 200);
});

Deno.test("a connection that does not complete its request headers in time is closed", async () => {
  await using server = open({ firstRequestMs: 500 });
  const [silent, slow] = [await server.connect(), await server.connect()];
  await until("both are closed", async () => {
    await slow.write("x-slow: yes\r\n"); // The headers never end.
    return silent.isClosed() && slow.isClosed();
  }, SOON_MS);
});

Deno.test("an idle connection is closed, and one with a request under way is not", async () => {
  const answer = Promise.withResolvers<void>();
  const fetch: Fetch = async ({ url }) => {
    if (url.endsWith("/slow")) await answer.promise;
    return new Response("yes");
  };
  await using server = open({ fetch, idleMs: 500 });
  const [idle, slow] = [await server.connect(), await server.connect()];
  await slow.write(REQUEST.replace("/", "/slow"));
  assert.equal(await ask(idle), 200);
  await until("the idle one is closed", () => idle.isClosed(), SOON_MS);
  assert.equal(slow.isClosed(), false);
  answer.resolve();
  assert.equal((await slow.answer()).status, 200);
  await until("the other is closed", () => slow.isClosed(), SOON_MS);
});

Deno.test("shutdown finishes requests under way and closes all other connections", async () => {
  const answer = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const fetch: Fetch = async ({ url }) => {
    if (!url.endsWith("/slow")) return new Response("yes");
    started.resolve();
    await answer.promise;
    return new Response("y".repeat(1_000_000));
  };
  const server = open({ fetch });
  const [silent, idle, slow] = [
    await server.connect(),
    await server.connect(),
    await server.connect(),
  ];
  assert.equal(await ask(idle), 200);
  await slow.write(REQUEST.replace("/", "/slow"));
  await started.promise;
  const ended = server[Symbol.asyncDispose]();
  await until("the others are closed", () => silent.isClosed() && idle.isClosed(), SOON_MS);
  answer.resolve();
  const { status, body } = await slow.answer();
  assert.deepEqual([status, body.length], [200, 1_000_000]);
  await ended;
});

Deno.test("an aborted connection is closed without a response", async () => {
  const answer = Promise.withResolvers<Response>();
  const fetch: Fetch = (_request, { abort }) => {
    abort!();
    return answer.promise;
  };
  await using server = open({ fetch });
  const connection = await server.connect();
  assert.equal(await ask(connection), null);
  answer.resolve(new Response("late"));
});

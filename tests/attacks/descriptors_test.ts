/** A process without free file descriptors. */

import assert from "node:assert/strict";
import { countDescriptors } from "@/lib/runtime/descriptors.ts";
import { connect, exchange, type RawConnection } from "../acceptance/raw.ts";
import { createCollection, createProject, send, THINGS } from "../acceptance/project.ts";
import { type Server, startServer } from "../acceptance/server.ts";
import { until } from "../acceptance/until.ts";
import { database } from "../support/test_store.ts";

const DESCRIPTORS = 1024;
const CONNECTIONS = DESCRIPTORS / 2;
/** Number of idle connections, more than the server has descriptors. */
const IDLE = 1100;
const SOON_MS = 30_000;
const READY = "GET /api/health/ready HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

const { limit } = countDescriptors();
/** The test process opens as many connections, and needs some more descriptors. */
const isAllowed = limit === null || limit > IDLE + 200;

const logged = (server: Server) =>
  server.stdout().split("\n").filter((line) => line.startsWith("{")).map((line) =>
    JSON.parse(line)
  );

for (const workers of ["1", "2"]) {
  Deno.test({
    name:
      `${IDLE} idle connections do not stop a server with few descriptors and ${workers} threads`,
    ignore: !isAllowed, // The test process may not open as many.
    async fn() {
      const settings = { WORKERS: workers };
      await using server = await startServer({ descriptors: DESCRIPTORS, settings });
      const limited = logged(server).find(({ descriptors }) => descriptors !== undefined);
      assert.deepEqual([limited.level, limited.descriptors], ["warn", DESCRIPTORS]);
      assert.equal(limited.connections, CONNECTIONS);
      using held = new DisposableStack();
      const idle: RawConnection[] = [];
      for (let i = 0; i < IDLE; i++) idle.push(held.use(await connect(server.port)));
      const open = () => idle.filter((one) => !one.isClosed()).length;
      await until("as many connections are closed", () => open() <= CONNECTIONS, SOON_MS);
      // Each thread has a share, and the system distributes connections unevenly.
      assert.ok(open() > CONNECTIONS / 2, `${open()} connections are open`);
      assert.ok(idle[0]!.isClosed(), "the oldest connection is closed");
      assert.equal(idle.at(-1)!.isClosed(), false);
      let answer = await exchange(server.port, READY);
      // The responding thread has noticed a shortage.
      assert.equal(answer.status, 200, answer.head);
      assert.equal(JSON.parse(answer.body).data.connectionsExhausted, true);
      const shortages = logged(server).filter(({ message }) =>
        /limit of connections/.test(message)
      );
      assert.equal(shortages.length, Number(workers));
      held.dispose();
      answer = await exchange(server.port, READY);
      assert.equal(answer.status, 200, answer.head);
      assert.equal((await server.stop()).code, 0);
    },
  });
}

const STANDARD_STREAMS = 3;

const hasPrlimit = (): boolean => {
  try {
    return new Deno.Command("prlimit", { args: ["--version"], stdout: "null" }).outputSync()
      .success;
  } catch {
    return false;
  }
};

const outputOf = async (...[program, ...args]: [string, ...string[]]): Promise<string> => {
  const { stdout, success } = await new Deno.Command(program, { args }).output();
  assert.ok(success, `${program} failed`);
  return new TextDecoder().decode(stdout);
};

Deno.test({
  name: "a request without a descriptor for a file is refused, and the server continues",
  ignore: database !== "sqlite" || !hasPrlimit(), // Changing the limit requires prlimit.
  async fn() {
    await using server = await startServer();
    const { settings, pid } = server;
    // The limit changes while a connection is open.
    assert.equal((await send(server, { path: "/api/health" })).status, 200);
    const allow = (descriptors: number) =>
      outputOf("prlimit", "--pid", String(pid), `--nofile=${descriptors}:`);
    // Closing other descriptors does not make a number below the limit available.
    await allow(STANDARD_STREAMS);
    // Another process creates the project, so the server has not opened its file.
    const project = await createProject(settings);
    await createCollection(settings, project, THINGS);
    const key = project.secretKey;
    for (const path of ["/api/data/things", "/docs", "/files/none/none.png"]) {
      const { status, body } = await send(server, { path, key });
      assert.ok(status === 503 || status === 404 || status === 200, `${path}: ${status}`);
      if (path === "/api/data/things") {
        assert.deepEqual([status, body.code], [503, "STORE_UNAVAILABLE"]);
      }
    }
    assert.equal((await send(server, { path: "/api/health/ready" })).status, 503);
    await allow(DESCRIPTORS);
    assert.equal((await send(server, { path: "/api/health/ready" })).status, 200);
    assert.equal((await send(server, { path: "/api/data/things", key })).status, 200);
    assert.equal((await server.stop()).code, 0);
  },
});

import assert from "node:assert/strict";
import { createCollection, createProject, send, THINGS } from "../acceptance/project.ts";
import { type Server, startServer } from "../acceptance/server.ts";
import { until } from "../acceptance/until.ts";
import { startMongodb } from "../services/mongodb_server.ts";
import { storeOn } from "./faulty_mongodb.ts";
import { faultTest } from "./fixture.ts";
import { LOSSES } from "./losses.ts";

/** Shorter timeouts than the defaults, to shorten the test. */
const OPTIONS = {
  connectTimeoutMS: 1000,
  serverSelectionTimeoutMS: 1000,
  waitQueueTimeoutMS: 1000,
  socketTimeoutMS: 2000,
  heartbeatFrequencyMS: 500,
};

/**
 * Maximum number of milliseconds that a command waits for a primary, a connection and its response.
 * A retry does not add to it: when a response times out the loss is known, and the retry only waits
 * for a primary.
 */
const WITHIN_MS = OPTIONS.serverSelectionTimeoutMS + OPTIONS.waitQueueTimeoutMS +
  OPTIONS.socketTimeoutMS;
/** Tolerance in milliseconds for a busy machine. */
const ALLOWANCE_MS = 500;

const PATH = "/api/data/things";
const BACK_MS = 10_000;

function calls(key: string, id: string) {
  return [
    { path: `${PATH}/${id}`, key },
    { path: `${PATH}?sort=n`, key },
    { path: `${PATH}?count=true`, key },
    { path: PATH, key, body: { n: 2 } },
    { path: PATH, key, body: { n: 2 }, headers: { "idempotency-key": crypto.randomUUID() } },
    { path: `${PATH}/bulk`, key, body: { documents: [{ n: 2 }, { n: 2 }] } },
    { method: "PATCH", path: `${PATH}/${id}`, key, body: { n: 3 } },
    { method: "PUT", path: `${PATH}/${id}`, key, body: { n: 4 } },
    { method: "DELETE", path: `${PATH}/${id}`, key },
  ];
}

async function assertDown(server: Server, key: string, id: string): Promise<void> {
  const started = performance.now();
  const [ready, ...answers] = await Promise.all([
    send(server, { path: "/api/health/ready" }),
    ...calls(key, id).map((call) => send(server, call)),
  ]);
  const health = await send(server, { path: "/api/health" });
  const took = performance.now() - started;
  assert.ok(took < WITHIN_MS + ALLOWANCE_MS, `within ${WITHIN_MS} ms, it took ${took}`);
  for (const { status, headers, body } of answers) {
    assert.deepEqual([status, body.code], [503, "STORE_UNAVAILABLE"]);
    assert.match(headers.get("retry-after")!, /^[1-9]\d*$/);
  }
  assert.deepEqual([ready.status, ready.body.code], [503, "NOT_READY"]);
  assert.match(ready.body.message, /mongodb/);
  assert.match(ready.headers.get("retry-after")!, /^[1-9]\d*$/);
  assert.equal(health.status, 200, "the process itself is healthy");
}

for (const [what, lose] of Object.entries(LOSSES)) {
  faultTest(
    `while MongoDB ${what}, requests are 503 within their timeouts, and later succeed`,
    async () => {
      await using first = await startMongodb({ syncOnCommit: true });
      await using store = await storeOn(first.url, OPTIONS);
      await using server = await startServer({ store });
      const project = await createProject(server.settings);
      await createCollection(server.settings, project, THINGS);
      const { secretKey: key } = project;
      const created = await send(server, { path: PATH, key, body: { n: 1 } });
      assert.equal(created.status, 201, created.text);
      const path = `${PATH}/${created.body.data._id}`;

      const comeBack = await lose(first);
      // The first round meets an undetected loss, and the others a known one.
      for (let round = 0; round < 3; round++) await assertDown(server, key, created.body.data._id);
      assert.equal(server.hasEnded(), false);
      const second = await comeBack();
      try {
        const isReady = async () =>
          (await send(server, { path: "/api/health/ready" })).status === 200;
        await until("the server is ready again", isReady, BACK_MS);
        const isServed = async () => {
          const answers = [
            await send(server, { path: PATH, key, body: { n: 5 } }),
            await send(server, { path: `${PATH}/bulk`, key, body: { documents: [{ n: 5 }] } }),
            await send(server, { method: "PATCH", path, key, body: { n: 6 } }),
            await send(server, { path, key }),
          ];
          return answers.map(({ status }) => status).join() === "201,201,200,200";
        };
        await until("everything is served again", isServed, BACK_MS);
        const { body } = await send(server, { path, key });
        assert.equal(body.data.n, 6);
      } finally {
        if (second !== first) await second[Symbol.asyncDispose]();
      }
    },
  );
}

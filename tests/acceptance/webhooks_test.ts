import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { RUNS } from "../property/run.ts";
import { createTestStore, database } from "../support/test_store.ts";
import { startWebhookServer } from "../support/webhook_server.ts";
import {
  createCollection,
  createProject,
  createWebhook,
  listAll,
  type Project,
  send,
  THINGS,
} from "./project.ts";
import { Delays } from "./delays.ts";
import { type Server, startServer } from "./server.ts";
import { until } from "./until.ts";

/** Numbers of rounds. On MongoDB's stand-in a round waits up to a minute for dead transactions. */
const [FEW, MANY] = database === "sqlite" ? [5, 30] : [2, 15];
const ROUNDS = RUNS > 100 ? MANY : FEW;
const CONNECTIONS = 4;
/** Milliseconds from the first delivery until the process is killed. */
const WRITING_MS = 200;
/** Milliseconds between two writes of a connection before the kill. */
const PAUSE_MS = 100;
/**
 * Milliseconds for immediate events on a busy machine. MongoDB's stand-in delivers a commit only
 * after the transactions of a dead process have ended.
 */
const SOON_MS = database === "sqlite" ? 20_000 : 200_000;

/** Milliseconds within which a restarted process delivers all remaining messages. */
const TAKEN_OVER_MS = database === "sqlite" ? 10_000 : SOON_MS;

const settings = {
  PUBLIC_URL: "http://localhost:8000",
  ALLOW_PRIVATE_ENDPOINTS: "true",
};

/** Writes numbered documents until the server dies, at the end without pauses. */
async function writeUntilGone(
  server: Server,
  { secretKey: key }: Project,
  { round, stored, hurries }: {
    readonly round: number;
    readonly stored: Set<string>;
    hurries(): boolean;
  },
): Promise<void> {
  const write = async (connection: number) => {
    for (let i = 0;; i++) {
      const code = `${round}-${connection}-${i}`;
      try {
        const { status, text } = await send(server, {
          path: "/api/data/things",
          key,
          body: { code },
        });
        assert.equal(status, 201, text);
        stored.add(code);
        if (!hurries()) await delay(PAUSE_MS);
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, i) => write(i)));
}

Deno.test(`a restart after kill -9 delivers the messages of acknowledged writes, in ${ROUNDS} rounds`, async () => {
  await using receiver = await startWebhookServer();
  await using store = await createTestStore();
  const run = { ...store.settings, ...settings };
  const project = await createProject(run);
  await createCollection(run, project, THINGS);
  const { secret } = await createWebhook(run, project, { url: receiver.url, collection: "things" });
  const arrivals = new Map<string, number>();
  receiver.behave(({ json: { data: { document } } }, response) => {
    if (!arrivals.has(document.code)) arrivals.set(document.code, performance.now());
    response.end("ok");
  });
  const stored = new Set<string>();
  const delays = new Delays();
  const missing = () => [...stored].filter((code) => !arrivals.has(code));
  let server = await startServer({ store, settings });
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const hurries = () => [...arrivals.keys()].some((code) => code.startsWith(`${round}-`));
      const writing = writeUntilGone(server, project, { round, stored, hurries });
      await until("the first message of the round arrives", hurries, SOON_MS);
      await delay(round * WRITING_MS / ROUNDS);
      assert.equal((await server.kill()).signal, "SIGKILL");
      server.http.close();
      await writing;
      const left = missing();
      server = await startServer({ store, settings, port: server.port });
      const ready = performance.now();
      await until("every message arrives", () => missing().length === 0, TAKEN_OVER_MS);
      for (const code of left) delays.add(arrivals.get(code)! - ready);
    }
    console.log(`${ROUNDS} kills, ${stored.size} messages; left at a kill: ${delays}`);
    const { items } = await listAll(server, project, "things");
    const codes = items.map(({ code }) => code);
    // Some documents were stored without a response.
    const isDelivered = () => codes.every((code) => arrivals.has(code));
    await until("a message of every document arrives", isDelivered, TAKEN_OVER_MS);
    assert.equal(arrivals.size, codes.length);
    const ids = new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
    assert.equal(ids.size, items.length, "a message that arrived twice has one id");
    const [{ body, headers }] = receiver.received as [typeof receiver.received[0]];
    new Webhook(secret).verify(body, headers);
  } finally {
    await server[Symbol.asyncDispose]();
  }
});

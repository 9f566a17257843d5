/** Webhooks of served processes. */

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
  runJobsLater,
  send,
  THINGS,
} from "./project.ts";
import { type Server, startServer } from "./server.ts";
import { until } from "./until.ts";

/** On MongoDB's stand-in a round waits for what a dead process left open, up to a minute. */
const [FEW, MANY] = database === "sqlite" ? [5, 30] : [2, 15];
const ROUNDS = RUNS > 100 ? MANY : FEW;
const CONNECTIONS = 4;
/** In which a process is killed after it has sent something. */
const WRITING_MS = 200;
/** Between two writes of a connection, before that. */
const PAUSE_MS = 100;
/** What a dead process had taken another one takes after five minutes. */
const TAKEN_MS = 9_000;
/**
 * For what comes at once, on a machine that has other things to do; MongoDB's stand-in tells of a
 * commit only once the transactions that a dead process left open have ended.
 */
const SOON_MS = database === "sqlite" ? 20_000 : 200_000;

const settings = {
  PUBLIC_URL: "http://localhost:8000",
  ALLOW_PRIVATE_ENDPOINTS: "true",
};

/** Writes numbered documents over several connections until the server is gone, in haste once told to. */
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

Deno.test(`a webhook is told of everything that was answered after kill -9 between commit and delivery, ${ROUNDS} times over`, async () => {
  await using receiver = await startWebhookServer();
  await using store = await createTestStore();
  const run = { ...store.settings, ...settings };
  const project = await createProject(run);
  await createCollection(run, project, THINGS);
  const { secret } = await createWebhook(run, project, { url: receiver.url, collection: "things" });
  const stored = new Set<string>();
  const codes = () => new Set(receiver.received.map(({ json }) => json.data.document.code));
  for (let round = 0; round < ROUNDS; round++) {
    await using server = await startServer({ store, settings });
    const hurries = () => [...codes()].some((code) => code.startsWith(`${round}-`));
    const writing = writeUntilGone(server, project, { round, stored, hurries });
    await until("something is told", hurries, SOON_MS);
    await delay(round * WRITING_MS / ROUNDS);
    assert.equal((await server.kill()).signal, "SIGKILL");
    await writing;
  }
  const left = stored.difference(codes()).size;
  await until("all that was answered is told", async () => {
    await runJobsLater(run, TAKEN_MS);
    return stored.difference(codes()).size === 0;
  }, SOON_MS);
  console.log(`${ROUNDS} kills: ${stored.size} documents, of ${left} told by another process`);
  await using server = await startServer({ store, settings });
  const { items } = await listAll(server, project, "things");
  assert.deepEqual(codes(), new Set(items.map(({ code }) => code)));
  const ids = new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
  assert.equal(ids.size, items.length, "whatever came twice came under its own id");
  const [{ body, headers }] = receiver.received as [typeof receiver.received[0]];
  new Webhook(secret).verify(body, headers);
});

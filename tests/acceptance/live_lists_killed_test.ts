import assert from "node:assert/strict";
import { RUNS } from "../property/run.ts";
import { createTestStore, database } from "../support/test_store.ts";
import { clientOf, create, PATH, settings, SOON_MS } from "./live_things.ts";
import { createCollection, createProject, listAll, type Project, send, THINGS } from "./project.ts";
import { type Server, startServer } from "./server.ts";
import { until } from "./until.ts";

/**
 * Timeout in milliseconds. MongoDB keeps a transaction of a dead process open for a minute unless
 * it notices, and its stand-in sends streams no concurrent commits until then.
 */
const HELD_MS = database === "sqlite" ? SOON_MS : 200_000;
const ROUNDS = RUNS > 100 ? 30 : database === "sqlite" ? 5 : 2;

/**
 * Number of concurrent writers. MongoDB's stand-in has one, because it sends streams no commits
 * while another transaction is open.
 */
const CONNECTIONS = database === "sqlite" ? 4 : 1;
const WRITING_MS = 200;

async function writeUntilGone(
  server: Server,
  { secretKey: key }: Project,
  { round, stored }: { readonly round: number; readonly stored: Set<string> },
): Promise<void> {
  const write = async (connection: number) => {
    for (let i = 0;; i++) {
      const code = `${round}-${connection}-${i}`;
      try {
        const { status, text } = await send(server, { path: PATH, key, body: { code } });
        assert.equal(status, 201, text);
        stored.add(code);
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, i) => write(i)));
}

/** Creates another document, because on MongoDB a write detects a dead process's transaction. */
async function writeAnother(server: Server, project: Project): Promise<false> {
  if (database === "mongodb") await create(server, project, { text: "another" });
  return false;
}

Deno.test(`listenToDocuments misses no write after kill -9 before delivery, in ${ROUNDS} rounds`, async (test) => {
  await using store = await createTestStore();
  const project = await createProject(store.settings);
  await createCollection(store.settings, project, THINGS);
  let server = await startServer({ store, settings });
  try {
    await using client = clientOf(() => server, project, "?fields=code&meta=false&limit=1000");
    await client.until("the list arrives", () => client.received.length > 0, SOON_MS);
    const stored = new Set<string>();
    const kill = async (round: number) => {
      const opened = client.opened;
      const writing = writeUntilGone(server, project, { round, stored });
      const isDelivered = () =>
        [...client.receivedValues("code")].some((code) => `${code}`.startsWith(`${round}-`));
      await client.until("some changes are delivered", isDelivered, HELD_MS);
      const { promise, resolve } = Promise.withResolvers<void>();
      setTimeout(resolve, round * WRITING_MS / ROUNDS);
      await promise;
      const killed = server;
      assert.equal((await killed.kill()).signal, "SIGKILL");
      await writing;
      killed.http.close();
      server = await startServer({ store, settings });
      await client.until("the client reconnects", () => client.opened > opened, HELD_MS);
      const isAll = () => stored.difference(client.receivedValues("code")).size === 0;
      await until(
        `all documents of round ${round} arrive`,
        () => isAll() || writeAnother(server, project),
        HELD_MS,
      );
    };
    for (let round = 0; round < ROUNDS; round++) {
      await test.step(`round ${round + 1}`, () => kill(round));
    }
    const { items } = await listAll(server, project, "things");
    const codes = new Set(items.flatMap(({ code }) => code ?? []));
    const isComplete = () => codes.difference(client.receivedValues("code")).size === 0;
    await until(
      "all stored documents arrive",
      () => isComplete() || writeAnother(server, project),
      HELD_MS,
    );
    // The client resumed each time and did not read the list again.
    assert.deepEqual(client.received.filter(({ event }) => event !== "change").length, 1);
  } finally {
    await server[Symbol.asyncDispose]();
  }
});

/** Live lists of processes that are killed. */

import assert from "node:assert/strict";
import { RUNS } from "../property/run.ts";
import { createTestStore, database } from "../support/test_store.ts";
import { clientOf, create, PATH, settings, SOON_MS } from "./live_things.ts";
import { createCollection, createProject, listAll, type Project, send, THINGS } from "./project.ts";
import { type Server, startServer } from "./server.ts";
import { until } from "./until.ts";

/**
 * What a dead process left open in a transaction MongoDB holds for a minute, unless it notices; its
 * stand-in shows no stream what was committed meanwhile.
 */
const HELD_MS = database === "sqlite" ? SOON_MS : 200_000;
const ROUNDS = RUNS > 100 ? 30 : database === "sqlite" ? 5 : 2;

/**
 * On MongoDB one. Its stand-in shows no stream what was committed while another transaction was
 * open until that one ends.
 */
const CONNECTIONS = database === "sqlite" ? 4 : 1;
const WRITING_MS = 200;

/** Writes numbered documents over several connections until the server is gone. */
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

/** Others write on: what a dead process left open on MongoDB is noticed by who writes. */
async function goOn(server: Server, project: Project): Promise<false> {
  if (database === "mongodb") await create(server, project, { text: "another" });
  return false;
}

Deno.test(`listenToDocuments leaves out nothing that was answered after kill -9 between commit and delivery, ${ROUNDS} times over`, async (test) => {
  await using store = await createTestStore();
  const project = await createProject(store.settings);
  await createCollection(store.settings, project, THINGS);
  let server = await startServer({ store, settings });
  try {
    await using client = clientOf(() => server, project, "?fields=code&meta=false&limit=1000");
    await client.until("the list", () => client.heard.length > 0, SOON_MS);
    const stored = new Set<string>();
    const kill = async (round: number) => {
      const opened = client.opened;
      const writing = writeUntilGone(server, project, { round, stored });
      const isTold = () =>
        [...client.shown("code")].some((code) => `${code}`.startsWith(`${round}-`));
      await client.until("something is told", isTold, HELD_MS);
      const { promise, resolve } = Promise.withResolvers<void>();
      setTimeout(resolve, round * WRITING_MS / ROUNDS);
      await promise;
      const killed = server;
      assert.equal((await killed.kill()).signal, "SIGKILL");
      await writing;
      killed.http.close();
      server = await startServer({ store, settings });
      await client.until("it comes back", () => client.opened > opened, HELD_MS);
      const isAll = () => stored.difference(client.shown("code")).size === 0;
      await until(`all of round ${round}`, () => isAll() || goOn(server, project), HELD_MS);
    };
    for (let round = 0; round < ROUNDS; round++) {
      await test.step(`round ${round + 1}`, () => kill(round));
    }
    const { items } = await listAll(server, project, "things");
    const codes = new Set(items.flatMap(({ code }) => code ?? []));
    const isWhole = () => codes.difference(client.shown("code")).size === 0;
    await until("all that is stored", () => isWhole() || goOn(server, project), HELD_MS);
    // It went on where it was, each time: nothing was shown anew.
    assert.deepEqual(client.heard.filter(({ event }) => event !== "change").length, 1);
  } finally {
    await server[Symbol.asyncDispose]();
  }
});

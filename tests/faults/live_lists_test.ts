import assert from "node:assert/strict";
import { StoreUnavailable } from "@/lib/store/errors.ts";
import type { ChangeLog } from "@/lib/store/port.ts";
import { LiveClient } from "../acceptance/live_client.ts";
import { createCollection, createProject, send, THINGS } from "../acceptance/project.ts";
import { startServer } from "../acceptance/server.ts";
import { until } from "../acceptance/until.ts";
import { openNotes } from "../attacks/live_fixture.ts";
import { startMongodb } from "../services/mongodb_server.ts";
import { storeOn } from "./faulty_mongodb.ts";
import { faultTest, LONG_SELECTION } from "./fixture.ts";
import { LOSSES } from "./losses.ts";

const PATH = "/api/data/things";
const AWAY_MS = 10_000;
/**
 * Time limit in milliseconds for events after the store returns. Some servers report a commit only
 * after the transactions that were open with it, and a transaction whose client lost its connection
 * stays open for a minute.
 */
const BACK_MS = 200_000;

for (const [what, lose] of Object.entries(LOSSES)) {
  faultTest(
    `listenToDocuments continues without gaps after MongoDB ${what} for ten seconds`,
    async () => {
      await using first = await startMongodb({ syncOnCommit: true });
      await using store = await storeOn(first.url, LONG_SELECTION);
      await using server = await startServer({ store });
      const project = await createProject(server.settings);
      await createCollection(server.settings, project, THINGS);
      const { secretKey: key } = project;
      const create = async (n: number) =>
        (await send(server, { path: PATH, key, body: { n } })).status === 201;
      await using open = new AsyncDisposableStack();
      const clients = ["", "?n_gte=0&fields=n", "?snapshot=false"].map((query) =>
        open.use(new LiveClient({ server: () => server, path: `things/live${query}`, key }))
      );
      await Promise.all(
        clients.map((one) => one.until("the list is connected", () => one.opened === 1, BACK_MS)),
      );
      const answered: number[] = [];
      for (let n = 0; n < 5; n++) {
        assert.ok(await create(n));
        answered.push(n);
      }
      const comeBack = await lose(first);
      const lostAt = performance.now();
      let n = 5;
      while (performance.now() - lostAt < AWAY_MS) if (await create(++n)) answered.push(n);
      const second = await comeBack();
      try {
        const backAt = performance.now();
        while (!await create(++n)) assert.ok(performance.now() - backAt < BACK_MS);
        answered.push(n);
        for (const client of clients) {
          const isAll = () => answered.every((one) => client.receivedValues("n").has(one));
          await client.until(`all of ${answered}`, isAll, BACK_MS);
          assert.deepEqual(client.received.filter(({ event }) => event === "unauthorized"), []);
        }
      } finally {
        await server.stop(); // Stopped before the store, because it would wait for a missing store.
        if (second !== first) await second[Symbol.asyncDispose]();
      }
    },
  );
}

Deno.test("listenToDocuments continues without gaps after failed reads of changes", async () => {
  await using notes = await openNotes();
  const { app, create, patch, listen } = notes;
  const changes = app.services.engine.changes as { follow: ChangeLog["follow"] };
  const follow = changes.follow.bind(changes);
  let [refused, isAway] = [0, false];
  changes.follow = (...asked) => {
    const feed = follow(...asked);
    return {
      async *[Symbol.asyncIterator]() {
        for await (const batch of feed) {
          if (isAway) {
            refused++;
            throw new StoreUnavailable();
          }
          yield batch;
        }
      },
      [Symbol.asyncDispose]: () => feed[Symbol.asyncDispose](),
    };
  };
  await using reader = await listen("");
  await reader.expect("list");
  const id = await create({ n: 0 });
  await reader.expect("change");
  isAway = true;
  for (let n = 1; n <= 3; n++) await patch(id, { n });
  await until("the read was retried", () => refused > 2, BACK_MS);
  isAway = false;
  for (let n = 4; n <= 6; n++) await patch(id, { n });
  const seen = (await reader.changes(6)).map(({ data }) => data.document.n);
  assert.deepEqual(seen, [1, 2, 3, 4, 5, 6]);
});

/** Totals of live lists that are opened during continuous writes. */

import assert from "node:assert/strict";
import type { LiveReader } from "../support/live_reader.ts";
import { openTestApp } from "../support/test_app.ts";
import { database } from "../support/test_store.ts";
import { openNotes, runClock } from "./live_fixture.ts";

const WRITERS = 4;
const LISTS = 18;
/** Milliseconds that writers continue between two lists. */
const OPENED_MS = 20;
/**
 * Milliseconds until an unknown total is counted again. MongoDB's stand-in may delay changes and
 * counts for a minute.
 */
const SETTLED_MS = database === "sqlite" ? 30_000 : 200_000;

/** The total that a page shows, which is the last one it received. */
class DisplayedTotal {
  total: number | undefined;
  lastEventId: string | undefined;

  constructor(readonly reader: LiveReader) {}

  async follow(): Promise<void> {
    for (let event = await this.reader.next(); event !== null; event = await this.reader.next()) {
      this.lastEventId = event.id ?? this.lastEventId;
      if (event.event === "reset") continue;
      this.total = event.data.total ?? this.total;
    }
  }
}

Deno.test("listenToDocuments sends every list its true total once writes stop", async () => {
  await using app = await openTestApp();
  await using elsewhere = await openTestApp({ store: app.store, clock: app.clock });
  using _ = runClock(app.clock);
  const notes = await openNotes({}, { app });
  const { project, listen } = notes;
  const send = (n: number, call: Parameters<typeof app.send>[0]) =>
    (n % 2 === 0 ? app : elsewhere).send({ ...call, headers: [["x-api-key", project.secretKey]] });
  let isOver = false;
  const write = async (writer: number) => {
    for (let n = 0; !isOver; n++) {
      const { body } = await send(writer, { path: "/api/data/notes", body: { n } });
      const path = `/api/data/notes/${body.data._id}`;
      if (n % 3 === 0) await send(writer, { method: "DELETE", path });
      if (n % 4 === 1) await send(writer, { method: "PATCH", path, body: { n: -1 } });
    }
  };
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, i) => write(i)));
  await using open = new AsyncDisposableStack();
  const displayed: DisplayedTotal[] = [];
  const following: Promise<void>[] = [];
  for (let i = 0; i < LISTS; i++) {
    // Each has a different filter, so that each is counted. A third resume without a list.
    const query = `?n_gte=0&limit=1&n_lt=${1_000 + i}`;
    const lastEventId = i % 3 === 2 ? displayed[i - 1]!.lastEventId : undefined;
    const one = new DisplayedTotal(open.use(await listen(query, { lastEventId })));
    displayed.push(one);
    following.push(one.follow());
    await new Promise((resolve) => setTimeout(resolve, OPENED_MS));
  }
  isOver = true;
  await writing;
  const { body } = await send(0, { path: "/api/data/notes?n_gte=0&limit=1" });
  const { total } = body.data;
  const began = performance.now();
  // A list that resumed after the last change received no total.
  const wrong = () => displayed.filter((one) => one.total !== undefined && one.total !== total);
  while (wrong().length > 0) {
    assert.ok(performance.now() - began < SETTLED_MS, wrong().map((one) => one.total).join());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  app.services.liveLists.stop();
  await Promise.all(following);
});

/** Totals of live lists that are opened while others write without a pause. */

import assert from "node:assert/strict";
import type { LiveReader } from "../support/live_reader.ts";
import { openTestApp } from "../support/test_app.ts";
import { database } from "../support/test_store.ts";
import { openNotes, running } from "./live_fixture.ts";

const WRITERS = 4;
const LISTS = 18;
/** In which writers go on between two lists. */
const OPENED_MS = 20;
/**
 * A total that was not known is counted again within some seconds; but MongoDB's stand-in may hold
 * back changes and counts for a minute.
 */
const SETTLED_MS = database === "sqlite" ? 30_000 : 200_000;

/** What a page shows: the number that it was told last. */
class Shown {
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

Deno.test("listenToDocuments tells every list its true total once those who write stop, whenever it was opened", async () => {
  await using app = await openTestApp();
  await using elsewhere = await openTestApp({ store: app.store, clock: app.clock });
  using _ = running(app.clock);
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
  const shown: Shown[] = [];
  const following: Promise<void>[] = [];
  for (let i = 0; i < LISTS; i++) {
    // Each with a filter of its own, so that each is counted; a third come back, without a list.
    const query = `?n_gte=0&limit=1&n_lt=${1_000 + i}`;
    const lastEventId = i % 3 === 2 ? shown[i - 1]!.lastEventId : undefined;
    const one = new Shown(open.use(await listen(query, { lastEventId })));
    shown.push(one);
    following.push(one.follow());
    await new Promise((resolve) => setTimeout(resolve, OPENED_MS));
  }
  isOver = true;
  await writing;
  const { body } = await send(0, { path: "/api/data/notes?n_gte=0&limit=1" });
  const { total } = body.data;
  const began = performance.now();
  // Who came back behind the last change of all was told nothing.
  const wrong = () => shown.filter((one) => one.total !== undefined && one.total !== total);
  while (wrong().length > 0) {
    assert.ok(performance.now() - began < SETTLED_MS, wrong().map((one) => one.total).join());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  app.services.liveLists.stop();
  await Promise.all(following);
});

/** Live lists that begin, are resumed and begin anew while documents change: none goes back in time. */

import assert from "node:assert/strict";
import { ChangeFeeds } from "@/lib/events/change_feeds.ts";
import { LiveLists } from "@/lib/events/live/live_lists.ts";
import type { Services } from "@/lib/services.ts";
import type { ChangeFeed, ChangePosition, Engine, Space } from "@/lib/store/port.ts";
import { createApp } from "@/routes/app.ts";
import { changed } from "../support/changed.ts";
import { type Call, send, sendRaw } from "../support/conforming_client.ts";
import { engineOver } from "../support/engine_over.ts";
import { createTestStore, type TestStore } from "../support/test_store.ts";
import { listen, type LiveReader } from "../support/live_reader.ts";
import { openTestApp, type TestApp, type TestProject } from "../support/test_app.ts";
import { times } from "./test_collection.ts";

const COUNTERS = {
  name: "counters",
  fields: [{ key: "n", type: "Number" }, { key: "isEven", type: "Boolean" }],
};
const DOCUMENTS = 4;
const CHANGES = 60;
const READERS = 6;

/** What one client was shown: by document, the last state. */
class Shown {
  readonly #last = new Map<string, number>();
  lastId: string | undefined;

  constructor(readonly name: string) {}

  /** Reads until each document has come to its last state; `most` events at most. */
  async read(reader: LiveReader, most = Infinity): Promise<void> {
    for (let events = 0; events < most && !this.isOver; events++) {
      const event = await reader.next();
      assert.ok(event !== null, `${this.name} ended`);
      // As browsers do: an empty id is forgotten.
      if (event.id !== undefined) this.lastId = event.id === "" ? undefined : event.id;
      if (event.event === "list") this.#list(event.data.items);
      if (event.event === "change") this.#change(event.data);
    }
  }

  get isOver(): boolean {
    return this.#last.size === DOCUMENTS &&
      [...this.#last.values()].every((n) => n === CHANGES);
  }

  #list(items: readonly { readonly _id: string; readonly n: number }[]): void {
    for (const { _id, n } of items) this.#note(_id, n, "list");
  }

  #change(
    { action, id, document }: { action: string; id: string; document?: { n: number } },
  ): void {
    if (action !== "removed") this.#note(id, document!.n, action);
  }

  #note(id: string, n: number, how: string): void {
    const last = this.#last.get(id) ?? -1;
    assert.ok(n >= last, `${this.name}: after ${last} came ${n} by ${how}`);
    this.#last.set(id, n);
  }
}

/** Up to 15 ms, in another order each time. */
const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 15 * Math.random()));

/** A store that answers late: what is committed meanwhile falls between two of its answers. */
function lateEngine(engine: Engine): Engine {
  const { changes } = engine;
  return engineOver(engine, {
    changes: changed(changes, {
      async head(space: Space) {
        const head = await changes.head(space);
        await pause();
        return head;
      },
      follow(space: Space, after: ChangePosition) {
        const feed = changes.follow(space, after);
        return {
          async *[Symbol.asyncIterator]() {
            for await (const batch of feed) {
              await pause();
              yield batch;
            }
          },
          [Symbol.asyncDispose]: () => feed[Symbol.asyncDispose](),
        } as ChangeFeed;
      },
    }),
  });
}

/** A process of its own, as far as tests of one process know them. */
async function openLate(store: TestStore) {
  const app = await openTestApp({ store });
  const engine = lateEngine(app.services.engine);
  const changeFeeds = new ChangeFeeds({ engine, log: app.services.log });
  const services: Services = {
    ...app.services,
    engine,
    changeFeeds,
    liveLists: new LiveLists(() => services),
  };
  const late = createApp(services);
  return {
    ...app,
    send: (call: Call) => send(late, call),
    open: (call: Call) => sendRaw(late, call),
    async [Symbol.asyncDispose]() {
      services.liveLists[Symbol.dispose]();
      changeFeeds[Symbol.dispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** Two processes on one store. */
async function openTwo() {
  await using opening = new AsyncDisposableStack();
  const store = opening.use(await createTestStore());
  const apps = [
    opening.use(await openLate(store)),
    opening.use(await openLate(store)),
  ] as const;
  const project = await apps[0].project();
  await project.collection(COUNTERS);
  const opened = opening.move();
  return { apps, project, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const createCounter = async (project: TestProject): Promise<string> =>
  (await project.asSecret({ path: "/api/data/counters", body: { n: 0, isEven: true } })).body.data
    ._id;

async function countUp(app: TestApp, project: TestProject, id: string): Promise<void> {
  for (let n = 1; n <= CHANGES; n++) {
    const body = { n, isEven: n % 2 === 0 };
    const path = `/api/data/counters/${id}`;
    const answer = await app.known(project).asSecret({ method: "PATCH", path, body });
    assert.equal(answer.status, 200, answer.text);
  }
}

const BEGINNINGS: Readonly<Record<string, string>> = {
  "a list": "counters/live",
  "a list without a total": "counters/live?total=none",
  "a filtered list": "counters/live?isEven=true",
  "changes alone": "counters/live?snapshot=false",
};

for (const [what, path] of Object.entries(BEGINNINGS)) {
  Deno.test(`${what} that begins and is resumed while documents change tells no older state after a newer one`, async () => {
    await using two = await openTwo();
    const { apps, project } = two;
    const ids = await Promise.all(times(DOCUMENTS, () => createCounter(project)));
    const writing = Promise.all(ids.map((id, i) => countUp(apps[i % 2]!, project, id)));
    const reading = times(READERS, async (i) => {
      const app = apps[i % 2]!;
      const shown = new Shown(`reader ${i} of ${what}`);
      // Each comes in at another moment, and goes away again and again.
      for (let visit = 0; !shown.isOver; visit++) {
        await new Promise((resolve) => setTimeout(resolve, 7 * i + 3 * visit));
        const peer = `192.0.2.${i}`;
        await using reader = await listen({ app, project, path, lastEventId: shown.lastId, peer });
        await shown.read(reader, visit < 8 ? 1 + (i + visit) % 7 : Infinity);
      }
    });
    await Promise.all([writing, ...reading]);
  });
}

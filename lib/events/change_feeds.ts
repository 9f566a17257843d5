import { inSlices } from "../next_turn.ts";
import type { Log } from "../runtime/log.ts";
import { PositionLost } from "../store/errors.ts";
import type { ChangePosition, Engine, Id, PositionedChange } from "../store/port.ts";

/** Receives the changes of one collection in the order of their commits. */
export interface ChangeListener {
  receive(change: PositionedChange): void;
  /** Called when changes may have been lost: the listener must read its data again. */
  missed(): void;
}

/** The change feed of one project, open as long as it has listeners. */
interface Feed {
  readonly started: Promise<void>;
  readonly byName: Map<string, Set<ChangeListener>>;
  end(): void;
}

/** Pause after a failure of the store. */
const RETRY_MS = 500;

/** Passes changes to listeners, by one feed per project and process. */
export class ChangeFeeds implements Disposable {
  readonly #engine: Engine;
  readonly #log: Log;
  readonly #feeds = new Map<Id, Feed>();

  constructor({ engine, log }: { readonly engine: Engine; readonly log: Log }) {
    this.#engine = engine;
    this.#log = log;
  }

  /**
   * Subscribes a listener until the result is disposed of. The listener receives every change that
   * is committed after this resolves, and may receive some earlier ones. Throws `StoreUnavailable`.
   */
  async listen(projectId: Id, name: string, listener: ChangeListener): Promise<Disposable> {
    const feed = this.#feeds.get(projectId) ?? this.#begin(projectId);
    const listeners = feed.byName.get(name) ?? new Set();
    feed.byName.set(name, listeners.add(listener));
    const leave = () => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      feed.byName.delete(name);
      if (feed.byName.size === 0) this.#end(projectId, feed);
    };
    try {
      await feed.started;
    } catch (error) {
      leave();
      throw error;
    }
    return { [Symbol.dispose]: leave };
  }

  [Symbol.dispose](): void {
    for (const [projectId, feed] of this.#feeds) this.#end(projectId, feed);
  }

  #end(projectId: Id, feed: Feed): void {
    feed.end();
    if (this.#feeds.get(projectId) === feed) this.#feeds.delete(projectId);
  }

  #begin(projectId: Id): Feed {
    const ended = new AbortController();
    const byName: Feed["byName"] = new Map();
    const start = this.#engine.changes.head(projectId);
    const feed = { byName, started: start.then(() => {}), end: () => ended.abort() };
    this.#feeds.set(projectId, feed);
    start.then(
      (position) => this.#follow(projectId, { byName, position, ended: ended.signal }),
      () => this.#end(projectId, feed),
    );
    return feed;
  }

  /** Dispatches changes until the feed ends. Never rejects. */
  async #follow(
    projectId: Id,
    { byName, position: start, ended }: {
      byName: Feed["byName"];
      position: ChangePosition;
      ended: AbortSignal;
    },
  ): Promise<void> {
    const all = () => [...byName.values()].flatMap((listeners) => [...listeners]);
    let position = start;
    while (!ended.aborted) {
      try {
        await using feed = this.#engine.changes.follow(projectId, position);
        const stop = () => void feed[Symbol.asyncDispose]();
        ended.addEventListener("abort", stop);
        try {
          for await (const batch of feed) {
            if (ended.aborted) return;
            await inSlices(batch.changes, (change) => {
              for (const listener of byName.get(change.name) ?? []) listener.receive(change);
            });
            position = batch.upTo;
          }
        } finally {
          ended.removeEventListener("abort", stop);
        }
      } catch (error) {
        if (ended.aborted) return;
        this.#log.write("warn", "Changes cannot be followed at the moment", {
          project: projectId,
          error: String(error),
        });
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        if (!(error instanceof PositionLost)) continue;
        position = await this.#engine.changes.head(projectId).catch(() => position);
        for (const listener of all()) listener.missed();
      }
    }
  }
}

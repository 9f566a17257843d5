import { inSlices } from "../next_turn.ts";
import type { Log } from "../runtime/log.ts";
import { PositionLost } from "../store/errors.ts";
import type { ChangePosition, Engine, Id, PositionedChange } from "../store/port.ts";

/** Who is told of the changes of one collection, each in its turn. */
export interface ChangeListener {
  tell(change: PositionedChange): void;
  /** Changes may be missing from here on: what is known has to be read anew. */
  missed(): void;
}

/** One project, followed as long as anybody listens. */
interface Feed {
  readonly begun: Promise<void>;
  readonly byName: Map<string, Set<ChangeListener>>;
  end(): void;
}

/** After a failure of the store. */
const RETRY_MS = 500;

/**
 * Tells listeners what is changed in their projects: each project is followed once in a process,
 * however many listen.
 */
export class ChangeFeeds implements Disposable {
  readonly #engine: Engine;
  readonly #log: Log;
  readonly #feeds = new Map<Id, Feed>();

  constructor({ engine, log }: { readonly engine: Engine; readonly log: Log }) {
    this.#engine = engine;
    this.#log = log;
  }

  /**
   * From when it resolves on the listener is told of everything that is committed, until it is
   * disposed of; and perhaps of some of what was committed before. Throws `StoreUnavailable`.
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
      await feed.begun;
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
    const feed = { byName, begun: start.then(() => {}), end: () => ended.abort() };
    this.#feeds.set(projectId, feed);
    start.then(
      (position) => this.#follow(projectId, { byName, position, ended: ended.signal }),
      () => this.#end(projectId, feed),
    );
    return feed;
  }

  /** Never rejects. */
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
              for (const listener of byName.get(change.name) ?? []) listener.tell(change);
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

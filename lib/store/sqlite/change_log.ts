import type { ChangeBatch, ChangeFeed, ChangeLog, ChangePosition } from "../changes.ts";
import type { Space } from "../port.ts";
import {
  changesAfter,
  hasChangeTable,
  isTrimmed,
  newestChange,
  positionOf,
  trimChanges,
} from "./change_table.ts";
import type { FileSpace } from "./space.ts";

/** Interval in milliseconds at which a followed file is checked for other processes' commits. */
const POLL_MS = 50;

interface Watch {
  readonly wake: Set<() => void>;
  readonly timer: ReturnType<typeof setInterval>;
}

export class SqliteChangeLog implements ChangeLog {
  readonly isHeadExact = true;
  readonly recordedAheadMs = 0;
  readonly #fileOf: (space: Space) => FileSpace;
  readonly #watched = new Map<Space, Watch>();
  #listener: (space: Space) => void = () => {};

  constructor(fileOf: (space: Space) => FileSpace) {
    this.#fileOf = fileOf;
  }

  // deno-lint-ignore require-await -- Rejects where a plain return would throw.
  async head(space: Space): Promise<ChangePosition> {
    return positionOf(newestChange(this.#fileOf(space).reader));
  }

  follow(space: Space, after: ChangePosition): ChangeFeed {
    let wakeUp = Promise.withResolvers<void>();
    let isEnded = false;
    const wake = () => wakeUp.resolve();
    const unwatch = this.#watch(space, wake);
    const read = () => changesAfter(this.#fileOf(space).reader, Number(after));
    return {
      async *[Symbol.asyncIterator](): AsyncGenerator<ChangeBatch> {
        while (!isEnded) {
          wakeUp = Promise.withResolvers();
          const changes = read();
          after = changes.at(-1)?.position ?? after;
          yield { changes, upTo: after };
          if (changes.length === 0) await wakeUp.promise;
        }
      },
      // deno-lint-ignore require-await -- The port has drivers that wait.
      async [Symbol.asyncDispose]() {
        isEnded = true;
        unwatch();
        wake();
      },
    };
  }

  async trim(space: Space, now: string): Promise<number> {
    const file = this.#fileOf(space);
    if (!hasChangeTable(file.reader)) return 0;
    for (let removed = 0;;) {
      const gone = await this.#fileOf(space).write((db) => trimChanges(db, now));
      removed += gone;
      if (isTrimmed(gone)) return removed;
    }
  }

  onRecorded(listener: (space: Space) => void): void {
    this.#listener = listener;
  }

  /** Notifies followers and the listener that this process has committed changes in a space. */
  notifyCommit(space: Space): void {
    this.#listener(space);
    this.#wake(space);
  }

  #wake(space: Space): void {
    for (const wake of this.#watched.get(space)?.wake ?? []) wake();
  }

  /** Stops the timers of feeds that were not disposed. */
  close(): void {
    for (const { timer } of this.#watched.values()) clearInterval(timer);
    this.#watched.clear();
  }

  #watch(space: Space, wake: () => void): () => void {
    let watch = this.#watched.get(space);
    if (watch === undefined) {
      watch = { wake: new Set(), timer: this.#poll(space) };
      this.#watched.set(space, watch);
    }
    const { wake: all, timer } = watch;
    all.add(wake);
    return () => {
      all.delete(wake);
      if (all.size > 0 || this.#watched.get(space) !== watch) return;
      clearInterval(timer);
      this.#watched.delete(space);
    };
  }

  #poll(space: Space): ReturnType<typeof setInterval> {
    let seen = "";
    const timer = setInterval(() => {
      try {
        const version = this.#fileOf(space).externalCommitMark();
        if (version === seen) return;
        seen = version;
      } catch {
        // The next reader of the file reports the error.
      }
      this.#wake(space);
    }, POLL_MS);
    Deno.unrefTimer(timer);
    return timer;
  }
}

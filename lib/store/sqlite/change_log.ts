import type { ChangeBatch, ChangeFeed, ChangeLog, ChangePosition } from "../changes.ts";
import type { Space } from "../port.ts";
import {
  changesBehind,
  hasChanges,
  isTrimmed,
  newestChange,
  positionOf,
  trimChanges,
} from "./change_table.ts";
import type { FileSpace } from "./space.ts";

/** How often a followed file is asked whether another process has committed: one number is read. */
const LOOK_MS = 50;

/** Followers of one file. */
interface Watch {
  readonly wake: Set<() => void>;
  readonly timer: ReturnType<typeof setInterval>;
}

/** {@linkcode ChangeLog} of a folder of files. */
export class SqliteChangeLog implements ChangeLog {
  readonly isHeadExact = true;
  readonly notedAheadMs = 0;
  readonly #fileOf: (space: Space) => FileSpace;
  readonly #watched = new Map<Space, Watch>();
  #noted: (space: Space) => void = () => {};

  constructor(fileOf: (space: Space) => FileSpace) {
    this.#fileOf = fileOf;
  }

  // deno-lint-ignore require-await -- Rejects where a plain return would throw.
  async head(space: Space): Promise<ChangePosition> {
    return positionOf(newestChange(this.#fileOf(space).reader));
  }

  follow(space: Space, after: ChangePosition): ChangeFeed {
    let woken = Promise.withResolvers<void>();
    let isEnded = false;
    const wake = () => woken.resolve();
    const unwatch = this.#watch(space, wake);
    const read = () => changesBehind(this.#fileOf(space).reader, Number(after));
    return {
      async *[Symbol.asyncIterator](): AsyncGenerator<ChangeBatch> {
        while (!isEnded) {
          woken = Promise.withResolvers();
          const changes = read();
          after = changes.at(-1)?.position ?? after;
          yield { changes, upTo: after };
          if (changes.length === 0) await woken.promise;
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
    if (!hasChanges(file.reader)) return 0;
    for (let removed = 0;;) {
      const gone = await this.#fileOf(space).write((db) => trimChanges(db, now));
      removed += gone;
      if (isTrimmed(gone)) return removed;
    }
  }

  onNoted(called: (space: Space) => void): void {
    this.#noted = called;
  }

  /** This process has committed changes in a space. */
  committed(space: Space): void {
    this.#noted(space);
    this.#wake(space);
  }

  #wake(space: Space): void {
    for (const wake of this.#watched.get(space)?.wake ?? []) wake();
  }

  /** No timer is left behind for those who forgot to end. */
  close(): void {
    for (const { timer } of this.#watched.values()) clearInterval(timer);
    this.#watched.clear();
  }

  #watch(space: Space, wake: () => void): () => void {
    let watch = this.#watched.get(space);
    if (watch === undefined) {
      watch = { wake: new Set(), timer: this.#look(space) };
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

  #look(space: Space): ReturnType<typeof setInterval> {
    let seen = "";
    const timer = setInterval(() => {
      try {
        const version = this.#fileOf(space).foreignVersion();
        if (version === seen) return;
        seen = version;
      } catch {
        // What is wrong with the file is said by whoever reads it next.
      }
      this.#wake(space);
    }, LOOK_MS);
    Deno.unrefTimer(timer);
    return timer;
  }
}

import { LRUCache } from "lru-cache";

const TEXTS_KEPT = 500;
/** Then it is tried again: what was slow among many may be quick alone, or have an index by now. */
const SLOW_MS = 60_000;

/** One statement, for one filter: `of` is what is kept for it while it is used again. */
export interface RegisteredQuery {
  readonly of: object;
  /** The statement's text: the same for filters that differ in their values alone. */
  readonly text: string;
}

/**
 * Which statements look at many rows. What was seen of a statement and its values counts first; of
 * new values is believed what was seen of others, because finding out costs the event loop time.
 */
export class SlowQueryRegistry {
  /** Until when each is taken for slow; 0 for one that is not. */
  readonly #seen = new WeakMap<object, number>();
  readonly #slowTexts = new LRUCache<string, number>({ max: TEXTS_KEPT });
  readonly #now: () => number;

  constructor(now = (): number => performance.now()) {
    this.#now = now;
  }

  isSlow({ of, text }: RegisteredQuery): boolean {
    const until = this.#seen.get(of) ?? this.#slowTexts.get(text) ?? 0;
    return until > 0 && until > this.#now();
  }

  learn({ of, text }: RegisteredQuery, isSlow: boolean): void {
    const until = isSlow ? this.#now() + SLOW_MS : 0;
    this.#seen.set(of, until);
    if (isSlow) this.#slowTexts.set(text, until);
  }
}

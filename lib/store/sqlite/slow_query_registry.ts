import { LRUCache } from "lru-cache";

const TEXTS_KEPT = 500;

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
  readonly #seen = new WeakMap<object, boolean>();
  readonly #slowTexts = new LRUCache<string, true>({ max: TEXTS_KEPT });

  isSlow({ of, text }: RegisteredQuery): boolean {
    return this.#seen.get(of) ?? this.#slowTexts.has(text);
  }

  learn({ of, text }: RegisteredQuery, isSlow: boolean): void {
    this.#seen.set(of, isSlow);
    if (isSlow) this.#slowTexts.set(text, true);
  }
}

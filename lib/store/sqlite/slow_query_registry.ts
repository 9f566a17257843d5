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

/** So many in a row that ran out of time, one may be taken for slow: others need the processor, too. */
const DOUBTS_MAX = 3;

/** What a read has shown; `doubtful` that it had less time than it needed, for whatever reason. */
export type Verdict = "slow" | "doubtful" | "quick";

/**
 * Which statements look at many rows. What was seen of a statement and its values counts first; of
 * new values is believed what was seen of others, because finding out costs the event loop time.
 */
export class SlowQueryRegistry {
  /** Until when each is taken for slow; 0 for one that is not. */
  readonly #seen = new WeakMap<object, number>();
  readonly #slowTexts = new LRUCache<string, number>({ max: TEXTS_KEPT });
  /** How often each was in doubt since it was quick. */
  readonly #doubts = new LRUCache<string, number>({ max: TEXTS_KEPT });
  readonly #now: () => number;

  constructor(now = (): number => performance.now()) {
    this.#now = now;
  }

  isSlow({ of, text }: RegisteredQuery): boolean {
    const until = this.#seen.get(of) ?? this.#slowTexts.get(text) ?? 0;
    return until > 0 && until > this.#now();
  }

  learn(query: RegisteredQuery, verdict: Verdict): void {
    const { of, text } = query;
    if (verdict === "doubtful") {
      const doubts = (this.#doubts.get(text) ?? 0) + 1;
      if (doubts === DOUBTS_MAX) return this.learn(query, "slow");
      this.#doubts.set(text, doubts);
      return;
    }
    this.forgetDoubts(query);
    const until = verdict === "slow" ? this.#now() + SLOW_MS : 0;
    this.#seen.set(of, until);
    if (verdict === "slow") this.#slowTexts.set(text, until);
  }

  /** To be told of each that had time enough. */
  forgetDoubts({ text }: Pick<RegisteredQuery, "text">): void {
    if (this.#doubts.size > 0) this.#doubts.delete(text);
  }
}

/**
 * Texts of rows that were read lately, so that a list need only ask its index which rows to show:
 * fetching the text of a row costs SQLite four times as much as finding it.
 *
 * A text in here is the committed text. Whoever commits a change drops the rows it touched in the
 * same breath; when another process may have committed, everything of the file is dropped.
 */
export class RowCache {
  readonly #pool: RowCachePool;
  #young = new Map<number, string>();
  #old = new Map<number, string>();
  /** Pages that were made of them, by the `seq` of their rows; no longer than all these stay. */
  readonly #pages = new Map<string, readonly string[]>();
  /** How often pages could be made of what is here, lately: 0 to 1. */
  #worth = 0;

  constructor(pool: RowCachePool) {
    this.#pool = pool;
  }

  /** Whether to look here first; where pages rarely repeat, looking costs more than it saves. */
  get promising(): boolean {
    return this.#worth > PROMISING;
  }

  /**
   * The texts of a page, or null if one is missing. The very same list is given again for the same
   * rows while none of them has changed: whoever makes something of it can keep that by the list.
   *
   * @param rows The `seq` of each, in order, with commas between.
   */
  page(rows: string): readonly string[] | null {
    const known = this.#pages.get(rows);
    if (known !== undefined) {
      this.#learn(true);
      return known;
    }
    const seqs = rows === "" ? [] : rows.split(",").map(Number);
    const texts: string[] = [];
    for (const seq of seqs) {
      let text = this.#young.get(seq);
      if (text === undefined) {
        text = this.#old.get(seq);
        if (text === undefined) break;
        this.#put(seq, text);
      }
      texts.push(text);
    }
    const complete = texts.length === seqs.length;
    this.#learn(complete);
    if (!complete) return null;
    this.#remember(rows, texts);
    return texts;
  }

  /** Keeps the rows of a page, given as `seq` and text. */
  fill(rows: readonly (readonly unknown[])[]): void {
    let known = 0;
    for (const row of rows) {
      const [seq, text] = row as [number, string];
      if (this.#young.has(seq)) known++;
      else if (text.length <= TEXT_MAX) this.#put(seq, text);
    }
    if (!this.promising) this.#learn(known === rows.length);
  }

  drop(seq: number): void {
    this.#young.delete(seq);
    this.#old.delete(seq);
    this.#pages.clear();
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#pages.clear();
  }

  /** What was not used since the last time is let go. */
  age(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#pages.clear();
  }

  #remember(rows: string, texts: readonly string[]): void {
    if (this.#pages.size === PAGES_KEPT) this.#pages.clear();
    this.#pages.set(rows, texts);
    const length = texts.reduce((sum, text) => sum + text.length, rows.length);
    this.#pool.grow(MADE_OF_PAGE * length);
  }

  #put(seq: number, text: string): void {
    this.#young.set(seq, text);
    this.#pool.grow(text.length + ENTRY_LENGTH);
  }

  #learn(complete: boolean): void {
    this.#worth += ((complete ? 1 : 0) - this.#worth) * LEARNING;
  }
}

const PAGES_KEPT = 32;
/** How often its texts are repeated in what is made of a page. */
const MADE_OF_PAGE = 2;
const PROMISING = 0.5;
const LEARNING = 0.2;
const TEXT_MAX = 16_384;
/** About what an entry takes beside its text. */
const ENTRY_LENGTH = 64;

/** Bounds what all caches hold together: two generations of this many characters. */
export class RowCachePool {
  readonly #caches = new Set<RowCache>();
  readonly #generation: number;
  #used = 0;

  constructor(generation: number) {
    this.#generation = generation;
  }

  create(): RowCache {
    const cache = new RowCache(this);
    this.#caches.add(cache);
    return cache;
  }

  release(cache: RowCache): void {
    this.#caches.delete(cache);
  }

  grow(length: number): void {
    this.#used += length;
    if (this.#used <= this.#generation) return;
    this.#used = 0;
    for (const cache of this.#caches) cache.age();
  }
}

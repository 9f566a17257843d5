import { inOrder } from "./order.ts";

// deno-lint-ignore no-explicit-any -- The types of the client say what documents are.
type Doc = any;

const LIMIT_DEFAULT = 100;

/**
 * The documents of a live list. A list with a limit is known up to its edge: what is ordered behind
 * the edge may have documents before it that this client has never seen.
 */
export class LiveList {
  readonly #compare: (one: Doc, other: Doc) => number;
  readonly #limit: number;
  /** In their order, none behind the edge. */
  #known: Doc[] = [];
  /** The last document that the list is known up to; null where all of it is known. */
  #edge: Doc | null = null;
  total: number | undefined;

  constructor({ sort, limit }: { sort?: string | readonly string[]; limit?: number }) {
    this.#compare = inOrder(sort);
    this.#limit = limit ?? LIMIT_DEFAULT;
  }

  /** Returns whether the list has changed. A reset changes nothing: a list follows it. */
  apply(event: string, text: string): boolean {
    if (event !== "list" && event !== "change") return false;
    const data = JSON.parse(text);
    this.total = data.total ?? this.total;
    if (event === "list") {
      this.#known = data.items;
      this.#edge = data.nextCursor === null ? null : data.items.at(-1);
      this.total = data.total;
    } else {
      const others = this.#known.filter(({ _id }) => _id !== data.id);
      this.#known = data.action === "removed"
        ? others
        : [...others, data.document].sort(this.#compare);
      this.#cut();
    }
    return true;
  }

  /** Forgets what is behind the edge, and of a list that only grows all but twice its limit. */
  #cut(): void {
    if (this.#known.length > 2 * this.#limit) this.#edge = this.#known[2 * this.#limit - 1];
    if (this.#edge === null) return;
    this.#known = this.#known.filter((one) => this.#compare(one, this.#edge) <= 0);
  }

  /** Whether documents are missing that the server has. */
  get isShort(): boolean {
    return this.#edge !== null && this.#known.length < this.#limit;
  }

  items(): Doc[] {
    return this.#known.slice(0, this.#limit);
  }
}

import { documentOrder } from "./order.ts";

// deno-lint-ignore no-explicit-any -- `client.d.ts` declares documents.
type Doc = any;

const LIMIT_DEFAULT = 100;

/** A list with a limit is known up to its edge, after which documents may be unknown. */
export class LiveList {
  readonly #compare: (one: Doc, other: Doc) => number;
  readonly #limit: number;
  /** Known documents up to the edge, in order. */
  #known: Doc[] = [];
  /** The last document of the known part; null if all of the list is known. */
  #edge: Doc | null = null;
  total: number | undefined;

  constructor({ sort, limit }: { sort?: string | readonly string[]; limit?: number }) {
    this.#compare = documentOrder(sort);
    this.#limit = limit ?? LIMIT_DEFAULT;
  }

  /** Applies an event. Returns whether the list has changed; a reset is followed by a list. */
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
      this.#trim();
    }
    return true;
  }

  /** Removes documents after the edge, or beyond twice the limit if the list keeps growing. */
  #trim(): void {
    if (this.#known.length > 2 * this.#limit) this.#edge = this.#known[2 * this.#limit - 1];
    if (this.#edge === null) return;
    this.#known = this.#known.filter((one) => this.#compare(one, this.#edge) <= 0);
  }

  /** Whether the list has fewer documents than its limit, although the server has more. */
  get isShort(): boolean {
    return this.#edge !== null && this.#known.length < this.#limit;
  }

  items(): Doc[] {
    return this.#known.slice(0, this.#limit);
  }
}

import { quoted } from "../../text/input_text.ts";

/** Further notes are only counted. */
const NOTES_MAX = 500;

/** Further renamed members of a field are only counted. */
const RENAMED_NAMED_MAX = 3;

interface RenamedMembers {
  count: number;
  readonly examples: Map<string, string>;
}

/** Notes on what a conversion changed or left out, and why. */
export class Notes {
  /** Counts by text; 0 for a text without a count. */
  readonly #counts = new Map<string, number>();
  readonly #renamed = new Map<string, RenamedMembers>();
  #dropped = 0;

  add(text: string): void {
    this.#add(text, 0);
  }

  count(text: string, more = 1): void {
    this.#add(text, more);
  }

  /** @param where A path such as `posts.title`. */
  addRenamed(where: string, name: string, own: string): void {
    let renamed = this.#renamed.get(where);
    if (renamed === undefined) {
      if (this.#renamed.size === NOTES_MAX) return void this.#dropped++;
      renamed = { count: 0, examples: new Map() };
      this.#renamed.set(where, renamed);
    }
    renamed.count++;
    if (renamed.examples.size < RENAMED_NAMED_MAX) renamed.examples.set(name, own);
  }

  toLines(): string[] {
    const lines = [...this.#counts].map(([text, count]) =>
      count === 0 ? text : `${text}: ${count}`
    );
    for (const [where, { count, examples }] of this.#renamed) {
      const named = [...examples].map(([name, own]) => `${quoted(name)} is called ${quoted(own)}`);
      lines.push(`${where}: names within it that were changed (${named.join(", ")}): ${count}`);
    }
    if (this.#dropped > 0) lines.push(`Further notes that are not listed: ${this.#dropped}`);
    return lines;
  }

  #add(text: string, more: number): void {
    const count = this.#counts.get(text);
    if (count === undefined && this.#counts.size === NOTES_MAX) this.#dropped++;
    else this.#counts.set(text, (count ?? 0) + more);
  }
}

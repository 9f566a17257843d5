import { shown } from "../../text/input_text.ts";

/** Different notes; of what is told beyond them only the number is kept. */
const NOTES_MAX = 500;

/** Renamed members of one field that are named; of others only the number is kept. */
const RENAMED_NAMED_MAX = 3;

interface Renamed {
  count: number;
  readonly examples: Map<string, string>;
}

/** What a conversion tells: what is another way now, what was left out, and why. */
export class Notes {
  /** How often; 0 for what is simply so. */
  readonly #counts = new Map<string, number>();
  readonly #renamed = new Map<string, Renamed>();
  #dropped = 0;

  /** Something that is so for all of it. */
  say(text: string): void {
    this.#add(text, 0);
  }

  /** One of many things of the same kind, which are told together with their number. */
  count(text: string, more = 1): void {
    this.#add(text, more);
  }

  /** A member within a field has another name now. @param where `posts.title` */
  renamed(where: string, name: string, own: string): void {
    let renamed = this.#renamed.get(where);
    if (renamed === undefined) {
      if (this.#renamed.size === NOTES_MAX) return void this.#dropped++;
      renamed = { count: 0, examples: new Map() };
      this.#renamed.set(where, renamed);
    }
    renamed.count++;
    if (renamed.examples.size < RENAMED_NAMED_MAX) renamed.examples.set(name, own);
  }

  lines(): string[] {
    const lines = [...this.#counts].map(([text, count]) =>
      count === 0 ? text : `${text}: ${count}`
    );
    for (const [where, { count, examples }] of this.#renamed) {
      const named = [...examples].map(([name, own]) => `${shown(name)} is called ${shown(own)}`);
      lines.push(`${where}: names within it that are others now (${named.join(", ")}): ${count}`);
    }
    if (this.#dropped > 0) lines.push(`And more that is not listed: ${this.#dropped}`);
    return lines;
  }

  #add(text: string, more: number): void {
    const count = this.#counts.get(text);
    if (count === undefined && this.#counts.size === NOTES_MAX) this.#dropped++;
    else this.#counts.set(text, (count ?? 0) + more);
  }
}

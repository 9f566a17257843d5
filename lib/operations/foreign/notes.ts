/** Different notes; of what is told beyond them only the number is kept. */
const NOTES_MAX = 500;

/** What a conversion tells: what is another way now, what was left out, and why. */
export class Notes {
  /** How often; 0 for what is simply so. */
  readonly #counts = new Map<string, number>();
  #dropped = 0;

  /** Something that is so for all of it. */
  say(text: string): void {
    this.#add(text, 0);
  }

  /** One of many things of the same kind, which are told together with their number. */
  count(text: string, more = 1): void {
    this.#add(text, more);
  }

  lines(): string[] {
    const lines = [...this.#counts].map(([text, count]) =>
      count === 0 ? text : `${text}: ${count}`
    );
    if (this.#dropped > 0) lines.push(`And more that is not listed: ${this.#dropped}`);
    return lines;
  }

  #add(text: string, more: number): void {
    const count = this.#counts.get(text);
    if (count === undefined && this.#counts.size === NOTES_MAX) this.#dropped++;
    else this.#counts.set(text, (count ?? 0) + more);
  }
}

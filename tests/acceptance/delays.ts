/** Times between a restart and each delivery, in milliseconds. */
export class Delays {
  readonly #all: number[] = [];

  add(delay: number): void {
    this.#all.push(delay);
  }

  toString(): string {
    const sorted = this.#all.toSorted((one, other) => one - other);
    if (sorted.length === 0) return "none";
    const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1]!);
    return `${sorted.length}, delivered after ${at(0.5)} ms (median), ${at(0.99)} (p99), ${
      at(1)
    } (max)`;
  }
}

import { AsyncLocalStorage } from "node:async_hooks";

interface Section<K> {
  readonly of: K;
  readonly around: Section<K> | undefined;
  ended: boolean;
}

/** The transactions that the present call chain was begun in, by what each of them is on. */
export class OpenTransactions<K> {
  readonly #inside = new AsyncLocalStorage<Section<K>>();

  /** Runs a transaction's work. */
  async run<T>(of: K, work: () => T | Promise<T>): Promise<T> {
    const section = { of, around: this.#inside.getStore(), ended: false };
    try {
      return await this.#inside.run(section, work);
    } finally {
      section.ended = true;
    }
  }

  /**
   * Throws inside the work of an open one: a write that is no part of it would wait for its end for
   * ever, or be stored although it is undone.
   */
  refuseInside(of: K): void {
    for (let one = this.#inside.getStore(); one !== undefined; one = one.around) {
      if (one.of === of && !one.ended) {
        throw new Error("A transaction must use the records it was given, not the engine's");
      }
    }
  }
}

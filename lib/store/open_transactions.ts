import { AsyncLocalStorage } from "node:async_hooks";

interface TransactionScope<K> {
  readonly subject: K;
  readonly outer: TransactionScope<K> | undefined;
  ended: boolean;
}

/** Tracks the open transactions of the current async call chain, by the object they are on. */
export class OpenTransactions<K> {
  readonly #scopes = new AsyncLocalStorage<TransactionScope<K>>();

  async run<T>(subject: K, work: () => T | Promise<T>): Promise<T> {
    const section = { subject, outer: this.#scopes.getStore(), ended: false };
    try {
      return await this.#scopes.run(section, work);
    } finally {
      section.ended = true;
    }
  }

  /**
   * Throws if called inside the work of an open transaction. A write outside of the transaction
   * would wait forever for its end, or would be stored even if the transaction is rolled back.
   */
  rejectInside(subject: K): void {
    for (let one = this.#scopes.getStore(); one !== undefined; one = one.outer) {
      if (one.subject === subject && !one.ended) {
        throw new Error("A transaction must use the records it was given, not the engine's");
      }
    }
  }
}

/** One after the other, in the order of asking, for each key. */
export class Queues {
  readonly #tails = new Map<string, Promise<void>>();

  /** Resolves when all who asked before have disposed of their turns. */
  async take(key: string): Promise<Disposable> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#tails.get(key);
    this.#tails.set(key, promise);
    await before;
    return {
      [Symbol.dispose]: () => {
        if (this.#tails.get(key) === promise) this.#tails.delete(key);
        resolve();
      },
    };
  }
}

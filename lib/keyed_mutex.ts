/**
 * For each key one holder at a time, in the order of asking. Keys do not wait for one another, and
 * one that nobody holds takes no memory.
 */
export class KeyedMutex {
  /** By key, what the next to ask waits for. */
  readonly #tails = new Map<string, Promise<void>>();

  /** Resolves when all who asked before have let go. Disposing lets go, and must not be left out. */
  async acquire(key: string): Promise<Disposable> {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const before = this.#tails.get(key);
    this.#tails.set(key, released);
    await before;
    return {
      [Symbol.dispose]: () => {
        if (this.#tails.get(key) === released) this.#tails.delete(key);
        release();
      },
    };
  }

  /** What `work` resolves to or throws; it lets go either way. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    using _held = await this.acquire(key);
    return await work();
  }

  /** How many keys somebody holds. */
  get size(): number {
    return this.#tails.size;
  }
}

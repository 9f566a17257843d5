/** Mutexes by key, which are acquired in the order of the calls. Unlocked keys take no memory. */
export class KeyedMutex {
  /** The promise for which the next caller waits, by key. */
  readonly #tails = new Map<string, Promise<void>>();

  /** Locks a key after all earlier callers have unlocked it. The result must be disposed of. */
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

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    using _held = await this.acquire(key);
    return await work();
  }

  get size(): number {
    return this.#tails.size;
  }
}

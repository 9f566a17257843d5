/** A queue in which everybody's first comes before anybody's second. */
export class FairQueue<T> {
  /** The first is next. */
  readonly #queues = new Map<string, T[]>();

  add(whose: string, item: T): void {
    const queue = this.#queues.get(whose);
    if (queue === undefined) this.#queues.set(whose, [item]);
    else queue.push(item);
  }

  /** Before the others of its own. */
  addFirst(whose: string, item: T): void {
    const queue = this.#queues.get(whose);
    if (queue === undefined) this.#queues.set(whose, [item]);
    else queue.unshift(item);
  }

  /** Of those that it is told may come. */
  next(may: (whose: string) => boolean = anybody): T | undefined {
    for (const [whose, queue] of this.#queues) {
      if (!may(whose)) continue;
      const item = queue.shift();
      // To the end: the others come first.
      this.#queues.delete(whose);
      if (queue.length > 0) this.#queues.set(whose, queue);
      return item;
    }
    return undefined;
  }

  remove(whose: string, item: T): void {
    const left = this.#queues.get(whose)?.filter((one) => one !== item) ?? [];
    if (left.length > 0) this.#queues.set(whose, left);
    else this.#queues.delete(whose);
  }

  /** How many wait of one. */
  countOf(whose: string): number {
    return this.#queues.get(whose)?.length ?? 0;
  }

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  all(): T[] {
    return [...this.#queues.values()].flat();
  }
}

const anybody = (): boolean => true;

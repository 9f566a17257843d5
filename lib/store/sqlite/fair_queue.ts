/** A queue in which everybody's first comes before anybody's second. */
export class FairQueue<T> {
  /** The first is next. */
  readonly #queues = new Map<string, T[]>();

  add(whose: string, item: T): void {
    const queue = this.#queues.get(whose);
    if (queue === undefined) this.#queues.set(whose, [item]);
    else queue.push(item);
  }

  next(): T | undefined {
    for (const [whose, queue] of this.#queues) {
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

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  all(): T[] {
    return [...this.#queues.values()].flat();
  }
}

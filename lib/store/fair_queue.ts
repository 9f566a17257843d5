/** A queue that serves its keys in turn: many items of one key do not delay other keys. */
export class FairQueue<T> {
  /** Items by key. The first key is served next. */
  readonly #queues = new Map<string, T[]>();

  add(key: string, item: T): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, [item]);
    else queue.push(item);
  }

  /** Adds an item in front of the key's other items. */
  addFirst(key: string, item: T): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, [item]);
    else queue.unshift(item);
  }

  /** Removes and returns the next item of a key that is allowed; undefined if there is none. */
  next(isAllowed: (key: string) => boolean = allowAll): T | undefined {
    for (const [key, queue] of this.#queues) {
      if (!isAllowed(key)) continue;
      const item = queue.shift();
      // The key moves to the end, behind all other keys.
      this.#queues.delete(key);
      if (queue.length > 0) this.#queues.set(key, queue);
      return item;
    }
    return undefined;
  }

  remove(key: string, item: T): void {
    const left = this.#queues.get(key)?.filter((one) => one !== item) ?? [];
    if (left.length > 0) this.#queues.set(key, left);
    else this.#queues.delete(key);
  }

  countOf(key: string): number {
    return this.#queues.get(key)?.length ?? 0;
  }

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  all(): T[] {
    return [...this.#queues.values()].flat();
  }
}

const allowAll = (): boolean => true;

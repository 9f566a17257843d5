/**
 * Puts commits on the disk, away from the event loop, and for many at once: a flush covers every
 * commit made before it begins, and there is one at a time.
 *
 * Once a flush has failed the operating system may have dropped what it could not write and report
 * the next one as done, so nothing is called flushed any more until {@linkcode mended}.
 */
export class Flusher {
  readonly #sync: () => Promise<void>;
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;
  #next: Promise<void> | null = null;
  #failure: { readonly error: unknown } | null = null;

  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  /** Resolves when all that was committed before the call is on the disk. */
  flush(): Promise<void> {
    return this.#next ??= this.#begin();
  }

  /** Ends when the flush under way ends, however it does; null if there is none. */
  get underWay(): Promise<void> | null {
    return this.#isRunning ? this.#running.catch(() => {}) : null;
  }

  get failed(): boolean {
    return this.#failure !== null;
  }

  /** What could not be flushed is kept elsewhere by now. */
  mended(): void {
    this.#failure = null;
  }

  async #begin(): Promise<void> {
    await this.#gather();
    // Who asks from here on may have committed too late for this one.
    this.#running = this.#next!;
    this.#next = null;
    if (this.#failure !== null) throw this.#failure.error;
    this.#isRunning = true;
    try {
      await this.#sync();
    } catch (error) {
      this.#failure = { error };
      throw error;
    } finally {
      this.#isRunning = false;
    }
  }

  /** Those who came together while a flush was under way commit before the next. */
  async #gather(): Promise<void> {
    const { underWay } = this;
    if (underWay === null) return;
    await underWay;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

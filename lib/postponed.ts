/** Work that is done once for all who ask for it within some time, one run after the other. */
export interface Postponed extends AsyncDisposable {
  /** Has it done some time later, if nobody has asked for it yet. */
  later(): void;
  /** Resolves when it is done that was asked for until now. */
  now(): Promise<void>;
}

/** Disposing it does what is left. @param work Throws nothing. */
export function postponed(work: () => Promise<void>, afterMs: number): Postponed {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> = Promise.resolve();

  function now(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    return running = running.then(work);
  }

  return {
    later: () => void (timer ??= setTimeout(now, afterMs)),
    now,
    async [Symbol.asyncDispose]() {
      await now();
      clearTimeout(timer);
    },
  };
}

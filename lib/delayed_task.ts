/** A task that runs once for all requests within a time. Runs do not overlap. */
export interface DelayedTask extends AsyncDisposable {
  /** Schedules a run, unless one is scheduled. */
  schedule(): void;
  /** Runs the task now, and resolves when this run and earlier ones have ended. */
  now(): Promise<void>;
}

/** Creates a task. Disposing of it runs the task a last time. @param work Must not reject. */
export function createDelayedTask(work: () => Promise<void>, afterMs: number): DelayedTask {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> = Promise.resolve();

  function now(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    return running = running.then(work);
  }

  return {
    schedule: () => void (timer ??= setTimeout(now, afterMs)),
    now,
    async [Symbol.asyncDispose]() {
      await now();
      clearTimeout(timer);
    },
  };
}

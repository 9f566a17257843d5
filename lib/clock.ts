export interface Clock {
  /** Returns the machine's time in milliseconds since 1970, which may be set back. */
  now(): number;
  /** Returns the milliseconds since an arbitrary moment. This time is monotonic. */
  elapsed(): number;
}

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/** Returns a function that reports whether `ms` milliseconds have passed since this call. */
export function deadlinePassed(clock: Clock, ms: number): () => boolean {
  const end = clock.elapsed() + ms;
  return () => clock.elapsed() > end;
}

/** Returns the current time as ISO 8601 in UTC with milliseconds. */
export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

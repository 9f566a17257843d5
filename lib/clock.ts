/** Time in milliseconds, so that tests can move it. */
export interface Clock {
  /** Since 1970, as the machine has it. Somebody may set that back. */
  now(): number;
  /** Since some moment, never set back: for how long ago something was. */
  elapsed(): number;
}

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/** Tells whether more than this has passed since now. */
export function deadlinePassed(clock: Clock, ms: number): () => boolean {
  const end = clock.elapsed() + ms;
  return () => clock.elapsed() > end;
}

/** ISO 8601 in UTC with milliseconds. */
export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

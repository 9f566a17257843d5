/** Time, so that tests can move it. Milliseconds since 1970. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Tells whether more than this has passed since now. */
export function after(clock: Clock, ms: number): () => boolean {
  const end = clock.now() + ms;
  return () => clock.now() > end;
}

/** ISO 8601 in UTC with milliseconds. */
export function timestamp(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** Runs `work` while every timer set for `limitMs` fires after `ms`. */
export async function withFasterTimers<T>(
  limitMs: number,
  ms: number,
  work: () => Promise<T>,
): Promise<T> {
  const real = globalThis.setTimeout;
  const setFasterTimeout =
    ((handler: () => void, asked?: number) =>
      real(handler, asked === limitMs ? ms : asked)) as typeof setTimeout; // Only this form.
  globalThis.setTimeout = setFasterTimeout;
  try {
    return await work();
  } finally {
    globalThis.setTimeout = real;
  }
}

const LOOK_EVERY_MS = 20;

/** Milliseconds that exceed any expected wait, even on a busy machine. */
const PATIENCE_MS = 60_000;

/**
 * Polls until a condition is true, and resolves to the elapsed milliseconds.
 *
 * @param withinMs Timeout. Set it only if the time is guaranteed or the work takes longer than a
 * minute, because a limit for an idle machine fails on a busy one.
 */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = PATIENCE_MS,
): Promise<number> {
  const started = performance.now();
  for (;;) {
    if (await holds()) return performance.now() - started;
    const elapsed = performance.now() - started;
    if (elapsed > withinMs) throw new Error(`${what}: not within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

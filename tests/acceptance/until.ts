const LOOK_EVERY_MS = 20;

/** More than anything takes that a test waits for, on a machine that does much else. */
const PATIENCE_MS = 60_000;

/**
 * Looks again and again until it holds, and resolves to how long it took.
 *
 * @param withinMs Fails after that. Give it only where the time is itself a promise, or where the work
 * takes longer than a minute: a limit that fits a quiet machine fails on a busy one.
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

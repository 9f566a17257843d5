const LOOK_EVERY_MS = 20;

/** Looks again and again until it holds; fails after `withinMs`. Resolves to how long it took. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs: number,
): Promise<number> {
  const started = performance.now();
  for (;;) {
    if (await holds()) return performance.now() - started;
    const elapsed = performance.now() - started;
    if (elapsed > withinMs) throw new Error(`${what}: not within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

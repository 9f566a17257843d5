import assert from "node:assert/strict";

const PAIRS = 400;
const WARM_UP = 50;

/**
 * Maximum distance from one half of the share of pairs in which the first request took longer. The
 * members of a pair run in succession, so that other load affects each equally. For equal requests
 * the standard deviation is 0.025.
 */
const DEVIATION_MAX = 0.2;

type Request = () => Promise<{ readonly status: number }>;

interface Options {
  /** Waits for the background work of a request, so that it does not slow the next one. */
  readonly settle?: () => Promise<void>;
}

export async function assertAlike(
  first: Request,
  second: Request,
  { settle = () => Promise.resolve() }: Options = {},
): Promise<void> {
  const timed = async (request: Request): Promise<number> => {
    const started = performance.now();
    await request();
    const taken = performance.now() - started;
    await settle();
    return taken;
  };
  for (let i = 0; i < WARM_UP; i++) {
    await timed(first);
    await timed(second);
  }
  let longer = 0;
  for (let i = 0; i < PAIRS; i++) {
    // Alternates the order, because the second request may benefit from caches.
    const isFirst = i % 2 === 0;
    const one = await timed(isFirst ? first : second);
    const two = await timed(isFirst ? second : first);
    if ((isFirst ? one : two) > (isFirst ? two : one)) longer++;
  }
  const share = longer / PAIRS;
  assert.ok(
    Math.abs(share - 0.5) <= DEVIATION_MAX,
    `the first takes longer in ${share * 100} % of pairs`,
  );
}

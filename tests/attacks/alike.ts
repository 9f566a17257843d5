import assert from "node:assert/strict";

const PAIRS = 400;
const WARM_UP = 50;

/**
 * How far the share of pairs in which the first took longer may be from a half. Pairs are measured
 * one right after the other, so that what burdens the machine burdens both; between things that take
 * equally long the share strays by 0.025 (one standard deviation), so this is eight of them.
 */
const STRAY_MAX = 0.2;

type Request = () => Promise<{ readonly status: number }>;

interface Options {
  /** Waits for what follows from a request behind its answer, so that it burdens no other. */
  readonly settle?: () => Promise<void>;
}

/**
 * Fails when it can be told by their durations which of two requests was sent. Between answers that
 * take 0.3 ms otherwise it finds a difference of 20 µs.
 */
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
    // In turns: whatever is done second may find something warm.
    const isFirst = i % 2 === 0;
    const one = await timed(isFirst ? first : second);
    const two = await timed(isFirst ? second : first);
    if ((isFirst ? one : two) > (isFirst ? two : one)) longer++;
  }
  const share = longer / PAIRS;
  assert.ok(Math.abs(share - 0.5) <= STRAY_MAX, `one takes longer in ${share * 100} % of pairs`);
}

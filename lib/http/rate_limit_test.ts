import assert from "node:assert/strict";
import { createRateLimiter, RateLimited } from "./rate_limit.ts";

/**
 * The library keeps a timer for each key, which only the end of its minute clears. Timers do not
 * hold a process, so the sanitizers are off where something is counted.
 */
function counting(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, fn, sanitizeOps: false, sanitizeResources: false });
}

/** What a count is refused with. */
async function refusalOf(counted: Promise<unknown>): Promise<RateLimited> {
  const refusal = await counted.then(() => null, (error) => error);
  assert.ok(refusal instanceof RateLimited, String(refusal));
  return refusal;
}

Deno.test("without a limit nothing is counted", async () => {
  const limiter = createRateLimiter(null);
  for (let n = 0; n < 2000; n++) assert.equal(await limiter.count("key"), null);
});

counting("each request leaves one less, until none is left", async () => {
  const limiter = createRateLimiter(3);
  for (const remaining of [2, 1, 0]) {
    const state = await limiter.count("key");
    assert.equal(state?.limit, 3);
    assert.equal(state?.remaining, remaining);
    assert.ok(Number.isInteger(state?.resetSeconds));
    assert.ok(state!.resetSeconds > 0 && state!.resetSeconds <= 60);
  }
  await refusalOf(limiter.count("key"));
});

counting("a refusal says when to try again, and goes on until then", async () => {
  const limiter = createRateLimiter(1);
  await limiter.count("key");
  for (let n = 0; n < 5; n++) {
    const refusal = await refusalOf(limiter.count("key"));
    assert.equal(refusal.code, "RATE_LIMITED");
    assert.equal(refusal.status, 429);
    assert.equal(refusal.state.limit, 1);
    assert.equal(refusal.state.remaining, 0);
    assert.ok(refusal.state.resetSeconds > 0 && refusal.state.resetSeconds <= 60);
    assert.equal(refusal.retryAfter, refusal.state.resetSeconds);
  }
});

counting("keys are counted apart, and limiters too", async () => {
  const limiter = createRateLimiter(1);
  await limiter.count("project 10.0.0.1");
  await limiter.count("project 10.0.0.2");
  await createRateLimiter(1).count("project 10.0.0.1");
  await refusalOf(limiter.count("project 10.0.0.1"));
});

counting("of 200 requests at once exactly as many pass as the limit says", async () => {
  const limiter = createRateLimiter(50);
  const all = await Promise.allSettled(Array.from({ length: 200 }, () => limiter.count("key")));
  const remaining = all.flatMap((one) => one.status === "fulfilled" ? [one.value!.remaining] : []);
  assert.deepEqual(remaining.sort((a, b) => a - b), Array.from({ length: 50 }, (_, n) => n));
});

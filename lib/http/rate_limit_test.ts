import assert from "node:assert/strict";
import { fakeClock } from "@/tests/support/test_services.ts";
import {
  createRateLimiter,
  RateLimited,
  type RateLimiter,
  type SharedCounts,
} from "./rate_limit.ts";

/** Counts a request that must be refused, and returns the problem. */
function refusalOf(limiter: RateLimiter, key: string): RateLimited {
  try {
    limiter.count(key);
  } catch (error) {
    assert.ok(error instanceof RateLimited, String(error));
    return error;
  }
  return assert.fail("expected to be refused");
}

Deno.test("count returns null without a limit", () => {
  const limiter = createRateLimiter(null, fakeClock());
  for (let n = 0; n < 2000; n++) assert.equal(limiter.count("key"), null);
});

Deno.test("count decrements the remaining requests until it refuses", () => {
  const limiter = createRateLimiter(3, fakeClock());
  for (const remaining of [2, 1, 0]) {
    assert.deepEqual(limiter.count("key"), { limit: 3, remaining, resetSeconds: 60 });
  }
  refusalOf(limiter, "key");
});

Deno.test("count refuses exactly until the reset time that it returns", () => {
  const clock = fakeClock();
  const limiter = createRateLimiter(1, clock);
  limiter.count("key");
  clock.advance(20_500);
  for (let n = 0; n < 5; n++) {
    const refusal = refusalOf(limiter, "key");
    assert.equal(refusal.code, "RATE_LIMITED");
    assert.equal(refusal.status, 429);
    assert.deepEqual(refusal.state, { limit: 1, remaining: 0, resetSeconds: 40 });
    assert.equal(refusal.retryAfter, 40);
  }
  clock.advance(39_499);
  assert.equal(refusalOf(limiter, "key").retryAfter, 1);
  clock.advance(1);
  assert.deepEqual(limiter.count("key"), { limit: 1, remaining: 0, resetSeconds: 60 });
});

Deno.test("the reset time is at most a minute away after the clock is set back", () => {
  const clock = fakeClock();
  const limiter = createRateLimiter(1, clock);
  limiter.count("key");
  assert.equal(refusalOf(limiter, "key").retryAfter, 60);
  clock.setBack(3_600_000);
  assert.deepEqual(limiter.count("key"), { limit: 1, remaining: 0, resetSeconds: 60 });
  assert.equal(refusalOf(limiter, "key").retryAfter, 60);
});

Deno.test("keys and limiters are counted separately", () => {
  const clock = fakeClock();
  const limiter = createRateLimiter(1, clock);
  limiter.count("project 10.0.0.1");
  limiter.count("project 10.0.0.2");
  createRateLimiter(1, clock).count("project 10.0.0.1");
  refusalOf(limiter, "project 10.0.0.1");
});

Deno.test("the number of remembered keys is bounded", () => {
  const limiter = createRateLimiter(1, fakeClock());
  limiter.count("first");
  for (let n = 0; n < 100_000; n++) limiter.count(`address ${n}`);
  assert.equal(limiter.count("first")?.remaining, 0);
  refusalOf(limiter, "address 99999");
});

/** Returns shared counts in memory. If `lost` is set, they are unreachable. */
function countsInMemory(): SharedCounts & { lost: boolean; readonly calls: number } {
  const counts = new Map<string, number>();
  let calls = 0;
  return {
    lost: false,
    get calls() {
      return calls;
    },
    async add(key, endsAt, count) {
      calls++;
      await Promise.resolve();
      if (this.lost) throw new Error("lost");
      const all = (counts.get(`${endsAt} ${key}`) ?? 0) + count;
      counts.set(`${endsAt} ${key}`, all);
      return all;
    },
  };
}

const times = (n: number, work: () => void) => {
  while (n-- > 0) work();
};

Deno.test("two processes that share counts enforce the limit together", async () => {
  const [clock, shared] = [fakeClock(), countsInMemory()];
  await using one = createRateLimiter(100, clock, shared);
  await using other = createRateLimiter(100, clock, shared);
  times(60, () => one.count("key"));
  times(30, () => other.count("key"));
  await one.share();
  await other.share();
  assert.equal(other.count("key")?.remaining, 9);
  times(9, () => other.count("key"));
  refusalOf(other, "key");
  await other.share();
  one.count("key");
  await one.share();
  refusalOf(one, "key");
  assert.equal(one.count("another")?.remaining, 99);
  clock.advance(60_000);
  assert.equal(one.count("key")?.remaining, 99);
});

Deno.test("requests during an exchange are counted once", async () => {
  const [clock, shared] = [fakeClock(), countsInMemory()];
  await using limiter = createRateLimiter(100, clock, shared);
  times(10, () => limiter.count("key"));
  const sharing = limiter.share();
  times(5, () => limiter.count("key"));
  await sharing;
  assert.equal(limiter.count("key")?.remaining, 84);
  await limiter.share();
  assert.equal(limiter.count("key")?.remaining, 83);
});

Deno.test("counts whose exchange failed are exchanged later", async () => {
  const [clock, shared] = [fakeClock(), countsInMemory()];
  await using one = createRateLimiter(100, clock, shared);
  await using other = createRateLimiter(100, clock, shared);
  shared.lost = true;
  times(50, () => one.count("key"));
  await one.share();
  assert.equal(one.count("key")?.remaining, 49);
  shared.lost = false;
  await one.share();
  other.count("key");
  await other.share();
  assert.equal(other.count("key")?.remaining, 100 - 53);
});

Deno.test("counts far below the limit are not exchanged", async () => {
  const [clock, shared] = [fakeClock(), countsInMemory()];
  await using limiter = createRateLimiter(1000, clock, shared);
  times(9, () => limiter.count("key"));
  await limiter.share();
  assert.equal(shared.calls, 0);
  limiter.count("key");
  await limiter.share();
  assert.equal(shared.calls, 1);
});

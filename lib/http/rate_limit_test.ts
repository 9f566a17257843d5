import assert from "node:assert/strict";
import { fakeClock } from "@/tests/support/test_services.ts";
import { createRateLimiter, RateLimited, type RateLimiter } from "./rate_limit.ts";

/** What a count is refused with. */
function refusalOf(limiter: RateLimiter, key: string): RateLimited {
  try {
    limiter.count(key);
  } catch (error) {
    assert.ok(error instanceof RateLimited, String(error));
    return error;
  }
  return assert.fail("expected to be refused");
}

Deno.test("without a limit nothing is counted", () => {
  const limiter = createRateLimiter(null, fakeClock());
  for (let n = 0; n < 2000; n++) assert.equal(limiter.count("key"), null);
});

Deno.test("each request leaves one less, until none is left", () => {
  const limiter = createRateLimiter(3, fakeClock());
  for (const remaining of [2, 1, 0]) {
    assert.deepEqual(limiter.count("key"), { limit: 3, remaining, resetSeconds: 60 });
  }
  refusalOf(limiter, "key");
});

Deno.test("a refusal says when to try again, and goes on until then and no longer", () => {
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

Deno.test("keys are counted apart, and limiters too", () => {
  const clock = fakeClock();
  const limiter = createRateLimiter(1, clock);
  limiter.count("project 10.0.0.1");
  limiter.count("project 10.0.0.2");
  createRateLimiter(1, clock).count("project 10.0.0.1");
  refusalOf(limiter, "project 10.0.0.1");
});

Deno.test("however many addresses come, what is remembered of them has a bound", () => {
  const limiter = createRateLimiter(1, fakeClock());
  limiter.count("first");
  for (let n = 0; n < 100_000; n++) limiter.count(`address ${n}`);
  assert.equal(limiter.count("first")?.remaining, 0);
  refusalOf(limiter, "address 99999");
});

Deno.test("limiters that share count as one, each request once", () => {
  const clock = fakeClock();
  const [one, other] = [createRateLimiter(10, clock), createRateLimiter(10, clock)];
  const [share, otherShare] = [one.share(), other.share()];
  const exchange = () => {
    const [taken, otherTaken] = [share.take(), otherShare.take()];
    share.add(otherTaken);
    otherShare.add(taken);
  };
  for (let n = 0; n < 3; n++) one.count("key");
  for (let n = 0; n < 2; n++) other.count("key");
  exchange();
  assert.equal(one.count("key")?.remaining, 4);
  exchange();
  exchange();
  assert.equal(other.count("key")?.remaining, 3);
  for (let n = 0; n < 3; n++) other.count("key");
  exchange();
  refusalOf(one, "key");
  refusalOf(other, "key");
  assert.equal(one.count("another")?.remaining, 9);
});

Deno.test("a minute that was counted elsewhere ends when it ends there", () => {
  const clock = fakeClock();
  const [one, other] = [createRateLimiter(2, clock), createRateLimiter(2, clock)];
  const [share, otherShare] = [one.share(), other.share()];
  one.count("key");
  one.count("key");
  const taken = share.take();
  clock.advance(20_000);
  otherShare.add(taken);
  assert.equal(refusalOf(other, "key").retryAfter, 40);
  clock.advance(40_000);
  otherShare.add(taken);
  assert.deepEqual(other.count("key"), { limit: 2, remaining: 1, resetSeconds: 60 });
  assert.deepEqual(
    otherShare.take(),
    [{ key: "key", count: 1, endsAt: clock.now() + 60_000 }],
    "of the minute that is over nothing is told",
  );
});

Deno.test("a limiter without a limit has nothing to share", () => {
  const share = createRateLimiter(null, fakeClock()).share();
  share.add([{ key: "key", count: 5, endsAt: Number.MAX_SAFE_INTEGER }]);
  assert.deepEqual(share.take(), []);
});

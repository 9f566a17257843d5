import assert from "node:assert/strict";
import { fakeClock } from "@/tests/support/test_services.ts";
import { createDeadlines } from "./deadline.ts";

interface Ticker extends Disposable {
  /** Timers that run at the moment. */
  readonly running: ReadonlyMap<number, () => void>;
  tick(): void;
}

/** Replaces the runtime's intervals by ones that run only on `tick`. */
function manualIntervals(): Ticker {
  const running = new Map<number, () => void>();
  const { setInterval: set, clearInterval: clear } = globalThis;
  let last = 0;
  globalThis.setInterval = ((work: () => void) => {
    running.set(++last, work);
    return last;
  }) as unknown as typeof setInterval; // The only overload that is used.
  globalThis.clearInterval = (timer) => void running.delete(Number(timer));
  return {
    running,
    tick: () => running.forEach((work) => work()),
    [Symbol.dispose]() {
      globalThis.setInterval = set;
      globalThis.clearInterval = clear;
    },
  };
}

const never = () => new Promise<never>(() => {});

/** Returns the current state of a promise as text. */
async function stateOf(promise: Promise<unknown>): Promise<string> {
  const waiting = Promise.resolve("waiting");
  return await Promise.race([
    promise.then((value) => `done ${value}`, (error) => error.code ?? String(error)),
    waiting.then(() => waiting).then(() => waiting),
  ]);
}

Deno.test("within settles like work that ends in time", async () => {
  using deadlines = createDeadlines(1000, () => 0);
  assert.equal(await deadlines.within(() => Promise.resolve(5)), 5);
  const error = new Error("failed");
  await assert.rejects(deadlines.within(() => Promise.reject(error)), (thrown) => thrown === error);
});

Deno.test("within rejects after exactly its time limit", async () => {
  using intervals = manualIntervals();
  const clock = fakeClock();
  using deadlines = createDeadlines(30_000, clock.now);
  const late = deadlines.within(never);
  clock.advance(29_999);
  intervals.tick();
  assert.equal(await stateOf(late), "waiting");
  clock.advance(1);
  intervals.tick();
  await assert.rejects(late, { code: "HANDLER_TIMEOUT", status: 503 });
});

Deno.test("within counts the time of each request from its own start", async () => {
  using intervals = manualIntervals();
  const clock = fakeClock();
  using deadlines = createDeadlines(30_000, clock.now);
  const first = deadlines.within(never);
  clock.advance(20_000);
  const second = deadlines.within(never);
  clock.advance(10_000);
  intervals.tick();
  await assert.rejects(first, { code: "HANDLER_TIMEOUT" });
  assert.equal(await stateOf(second), "waiting");
  clock.advance(20_000);
  intervals.tick();
  await assert.rejects(second, { code: "HANDLER_TIMEOUT" });
});

Deno.test("a request that ends does not change the deadlines of others", async () => {
  using intervals = manualIntervals();
  const clock = fakeClock();
  using deadlines = createDeadlines(1000, clock.now);
  const works = Array.from({ length: 5 }, () => Promise.withResolvers<string>());
  const all = works.map(({ promise }, i) => deadlines.within(() => promise, i * 1000));
  for (const i of [0, 4, 2]) works[i]!.resolve(`no. ${i}`);
  assert.deepEqual(await Promise.all([all[0], all[2], all[4]]), ["no. 0", "no. 2", "no. 4"]);
  clock.advance(2000);
  intervals.tick();
  await assert.rejects(Promise.resolve(all[1]), { code: "HANDLER_TIMEOUT" });
  works[1]!.resolve("too late");
  assert.equal(await stateOf(Promise.resolve(all[3])), "waiting");
  clock.advance(2000);
  intervals.tick();
  await assert.rejects(Promise.resolve(all[3]), { code: "HANDLER_TIMEOUT" });
  works[3]!.resolve("too late");
  await Promise.resolve();
  assert.equal(intervals.running.size, 0);
});

Deno.test("restart starts the time limit again", async () => {
  using intervals = manualIntervals();
  const clock = fakeClock();
  using deadlines = createDeadlines(30_000, clock.now);
  let restart = () => {};
  const work = deadlines.within((again) => {
    restart = again;
    return never();
  });
  clock.advance(29_000);
  restart();
  clock.advance(29_000);
  intervals.tick();
  assert.equal(await stateOf(work), "waiting");
  clock.advance(1000);
  intervals.tick();
  await assert.rejects(work, { code: "HANDLER_TIMEOUT" });
});

Deno.test("a rejection of work after its time limit is ignored", async () => {
  using intervals = manualIntervals();
  const clock = fakeClock();
  using deadlines = createDeadlines(1000, clock.now);
  const work = Promise.withResolvers<number>();
  const late = Promise.resolve(deadlines.within(() => work.promise));
  clock.advance(1000);
  intervals.tick();
  await assert.rejects(late, { code: "HANDLER_TIMEOUT" });
  work.reject(new Error("too late to matter"));
  assert.equal(await stateOf(late), "HANDLER_TIMEOUT");
});

Deno.test("one timer serves all requests and stops when no request is pending", async () => {
  using intervals = manualIntervals();
  const clock = fakeClock();
  using deadlines = createDeadlines(1000, clock.now);
  const done = Promise.withResolvers<void>();
  const all = Array.from({ length: 100 }, () => deadlines.within(() => done.promise));
  assert.equal(intervals.running.size, 1);
  done.resolve();
  await Promise.all(all);
  intervals.tick();
  assert.equal(intervals.running.size, 0);
  const next = deadlines.within(never);
  assert.equal(intervals.running.size, 1);
  clock.advance(1000);
  intervals.tick();
  await assert.rejects(next, { code: "HANDLER_TIMEOUT" });
});

Deno.test("disposing stops the timer while requests are pending", () => {
  using intervals = manualIntervals();
  const deadlines = createDeadlines(1000, () => 0);
  void deadlines.within(never);
  assert.equal(intervals.running.size, 1);
  deadlines[Symbol.dispose]();
  assert.equal(intervals.running.size, 0);
});

Deno.test("work that ends after the disposal still settles", async () => {
  const deadlines = createDeadlines(1000, () => 0);
  const works = Array.from({ length: 2 }, () => Promise.withResolvers<number>());
  const all = works.map(({ promise }) => deadlines.within(() => promise));
  deadlines[Symbol.dispose]();
  works.forEach(({ resolve }, i) => resolve(i));
  assert.deepEqual(await Promise.all(all), [0, 1]);
});

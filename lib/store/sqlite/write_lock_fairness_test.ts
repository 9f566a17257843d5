import assert from "node:assert/strict";
import { Busy } from "./connection.ts";
import { WriteLockFairness } from "./write_lock_fairness.ts";

/** Creates a lock with a clock that only pauses and work advance. */
function clocked() {
  let time = 0;
  const pauses: number[] = [];
  const lock = new WriteLockFairness({
    now: () => time,
    pause: (ms) => {
      pauses.push(ms);
      time += ms;
      return Promise.resolve();
    },
  });
  return { lock, pauses, pass: (ms: number) => void (time += ms), now: () => time };
}

/** Takes the lock `count` times for a millisecond each. */
async function takeFor({ lock, pass }: ReturnType<typeof clocked>, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await lock.acquire(() => {}, Infinity);
    pass(1);
    lock.noteRelease();
  }
}

Deno.test("a process without rivals leaves a gap only after a long run", async () => {
  const fixture = clocked();
  await takeFor(fixture, 250);
  assert.deepEqual(fixture.pauses, []);
  await takeFor(fixture, 250);
  assert.equal(fixture.pauses.length, 1);
});

Deno.test("a process with rivals leaves a gap after each short run", async () => {
  const fixture = clocked();
  fixture.lock.noticeRivals();
  await takeFor(fixture, 50);
  assert.equal(fixture.pauses.length, 4);
});

Deno.test("rivals are forgotten after a while", async () => {
  const fixture = clocked();
  fixture.lock.noticeRivals();
  fixture.pass(1000);
  await takeFor(fixture, 100);
  assert.deepEqual(fixture.pauses, []);
});

Deno.test("no gap is left if there are pauses between writes", async () => {
  const fixture = clocked();
  fixture.lock.noticeRivals();
  for (let n = 0; n < 100; n++) {
    await takeFor(fixture, 1);
    fixture.pass(5);
  }
  assert.deepEqual(fixture.pauses, []);
});

Deno.test("a gap is longer than the delay between two attempts", async () => {
  const waiting = clocked();
  await assert.rejects(() =>
    waiting.lock.acquire(() => {
      throw new Busy("locked");
    }, 100), Busy);
  const writing = clocked();
  writing.lock.noticeRivals();
  await takeFor(writing, 50);
  assert.ok(Math.max(...waiting.pauses) < Math.min(...writing.pauses));
});

Deno.test("acquire retries until the deadline, and tries once after it", async () => {
  const { lock, now, pass } = clocked();
  let tries = 0;
  const locked = () => {
    tries++;
    throw new Busy("locked");
  };
  await assert.rejects(() => lock.acquire(locked, 100), Busy);
  assert.ok(now() >= 100 && now() < 110);
  assert.ok(tries > 10);
  pass(10);
  tries = 0;
  await assert.rejects(() => lock.acquire(locked, 100), Busy);
  assert.equal(tries, 1);
});

Deno.test("acquire does not retry after other errors", async () => {
  const { lock, pauses } = clocked();
  const broken = () => {
    throw new TypeError("broken");
  };
  await assert.rejects(() => lock.acquire(broken, 100), TypeError);
  assert.deepEqual(pauses, []);
});

import assert from "node:assert/strict";
import { Flusher } from "./flusher.ts";

/** A disk that flushes when it is told to. */
function slowDisk() {
  const flushes: PromiseWithResolvers<void>[] = [];
  const flusher = new Flusher(() => {
    const flush = Promise.withResolvers<void>();
    flushes.push(flush);
    return flush.promise;
  });
  return { flusher, flushes };
}

/** Lets everything run that waits for nothing outside. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

function watched(promise: Promise<void>) {
  const state = { is: "waiting" };
  promise.then(() => void (state.is = "flushed"), (error) => void (state.is = error.message));
  return state;
}

Deno.test("commits of one moment share a flush, and nobody is answered before it ends", async () => {
  const { flusher, flushes } = slowDisk();
  const states = [1, 2, 3].map(() => watched(flusher.flush()));
  await settle();
  assert.equal(flushes.length, 1);
  assert.deepEqual(states.map(({ is }) => is), ["waiting", "waiting", "waiting"]);
  flushes[0]!.resolve();
  await settle();
  assert.deepEqual(states.map(({ is }) => is), ["flushed", "flushed", "flushed"]);
});

Deno.test("a flush that is under way does not count for commits made since it began", async () => {
  const { flusher, flushes } = slowDisk();
  const early = watched(flusher.flush());
  await settle();
  assert.notEqual(flusher.underWay, null);
  const late = [watched(flusher.flush()), watched(flusher.flush())];
  await settle();
  assert.equal(flushes.length, 1, "one at a time");
  flushes[0]!.resolve();
  await settle();
  assert.deepEqual([early.is, late[0]!.is, late[1]!.is], ["flushed", "waiting", "waiting"]);
  assert.equal(flushes.length, 2);
  flushes[1]!.resolve();
  await settle();
  assert.deepEqual([late[0]!.is, late[1]!.is], ["flushed", "flushed"]);
  assert.equal(flusher.underWay, null);
});

Deno.test("after a flush that failed none is believed before the log is mended", async () => {
  const { flusher, flushes } = slowDisk();
  const early = watched(flusher.flush());
  await settle();
  const late = watched(flusher.flush());
  flushes[0]!.reject(new Error("I/O error"));
  await settle();
  assert.deepEqual([early.is, late.is, flushes.length], ["I/O error", "I/O error", 1]);
  assert.ok(flusher.failed);
  await assert.rejects(() => flusher.flush(), { message: "I/O error" });

  flusher.mended();
  const again = watched(flusher.flush());
  await settle();
  flushes[1]!.resolve();
  await settle();
  assert.equal(again.is, "flushed");
});

import assert from "node:assert/strict";
import { createRequestDrain } from "./request_drain.ts";

/** Whether a promise has settled after all pending tasks have run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = () => void (settled = true);
  promise.then(note, note);
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

Deno.test("drain resolves immediately without requests in flight, also when called twice", async () => {
  const requestDrain = createRequestDrain();
  assert.equal(requestDrain.isDraining, false);
  await Promise.all([requestDrain.drain(), requestDrain.drain()]);
  assert.equal(requestDrain.isDraining, true);
});

Deno.test("drain waits for every answer, including failed ones", async () => {
  const requestDrain = createRequestDrain();
  const [one, other] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const tracked = [requestDrain.track(one.promise), requestDrain.track(other.promise)];
  const drained = requestDrain.drain();
  assert.equal(requestDrain.isDraining, true);
  one.resolve("answer");
  assert.equal(await tracked[0], "answer");
  assert.equal(await isSettled(drained), false);
  other.reject(new Error("failed"));
  await assert.rejects(async () => await tracked[1], /failed/);
  await drained;
});

Deno.test("drain does not wait for earlier answers", async () => {
  const requestDrain = createRequestDrain();
  for (let n = 0; n < 100; n++) await requestDrain.track(Promise.resolve(n));
  await requestDrain.drain();
});

Deno.test("drain waits for requests that arrive while it drains", async () => {
  const requestDrain = createRequestDrain();
  const [first, last] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const tracked = [requestDrain.track(first.promise)];
  const drained = requestDrain.drain();
  tracked.push(requestDrain.track(last.promise));
  first.resolve();
  assert.equal(await isSettled(drained), false);
  last.resolve();
  await drained;
  await Promise.all(tracked);
});

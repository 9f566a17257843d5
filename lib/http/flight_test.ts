import assert from "node:assert/strict";
import { createFlight } from "./flight.ts";

/** Whether a promise has settled, when all that could settle it has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = () => void (settled = true);
  promise.then(note, note);
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

Deno.test("with nothing to answer the landing is over at once, also when asked twice", async () => {
  const flight = createFlight();
  assert.equal(flight.isLanding, false);
  await Promise.all([flight.land(), flight.land()]);
  assert.equal(flight.isLanding, true);
});

Deno.test("a landing waits for every answer, be it a failure", async () => {
  const flight = createFlight();
  const [one, other] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const carried = [flight.carry(one.promise), flight.carry(other.promise)];
  const landed = flight.land();
  assert.equal(flight.isLanding, true);
  one.resolve("answer");
  assert.equal(await carried[0], "answer");
  assert.equal(await isSettled(landed), false);
  other.reject(new Error("failed"));
  await assert.rejects(async () => await carried[1], /failed/);
  await landed;
});

Deno.test("an answer that is there already is handed on, and not waited for", async () => {
  const flight = createFlight();
  assert.equal(flight.carry("answer"), "answer");
  await flight.land();
});

Deno.test("answers that were made before are not waited for", async () => {
  const flight = createFlight();
  for (let n = 0; n < 100; n++) await flight.carry(Promise.resolve(n));
  await flight.land();
});

Deno.test("what came in at the last moment is waited for too", async () => {
  const flight = createFlight();
  const [first, last] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const carried = [flight.carry(first.promise)];
  const landed = flight.land();
  carried.push(flight.carry(last.promise));
  first.resolve();
  assert.equal(await isSettled(landed), false);
  last.resolve();
  await landed;
  await Promise.all(carried);
});

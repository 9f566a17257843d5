import assert from "node:assert/strict";
import { fakeClock } from "@/tests/support/test_services.ts";
import { ANSWER_STALL_MS } from "../limits.ts";
import { createByteBudget } from "./byte_budget.ts";
import { createDeliveries, type Deliveries } from "./deliveries.ts";

const BUSY = { code: "SERVER_BUSY" };

function open(shareBytesMax = 100) {
  const clock = fakeClock();
  const budget = createByteBudget({ bytesMax: 2 * shareBytesMax, shareBytesMax });
  return { clock, deliveries: createDeliveries(budget, () => clock.elapsed()) };
}

/** An answer of numbers, and what became of it. */
function send(deliveries: Deliveries, heldBytes: number, caller = "one") {
  const sent = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  let isCancelled = false;
  let number = 0;
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (number === 3) controller.close();
      else controller.enqueue(Uint8Array.of(number++));
    },
    cancel: () => void (isCancelled = true),
  }, { highWaterMark: 0 });
  const recipient = { caller, sent: sent.promise, abort: aborted.resolve };
  const begin = () => deliveries.deliver(source, recipient, heldBytes);
  return { begin, sent, aborted: aborted.promise, isCancelled: () => isCancelled };
}

Deno.test("an answer is passed on as it is, and holds its memory until it is sent", async () => {
  const { deliveries } = open();
  using _deliveries = deliveries;
  const answer = send(deliveries, 80);
  const body = answer.begin();
  assert.throws(() => send(deliveries, 21).begin(), BUSY);
  assert.deepEqual([...await new Response(body).bytes()], [0, 1, 2]);
  assert.throws(() => send(deliveries, 21).begin(), BUSY);
  answer.sent.reject(new Error("cut off"));
  await answer.sent.promise.catch(() => {});
  const next = send(deliveries, 100);
  await next.begin().cancel();
  assert.ok(next.isCancelled());
  next.sent.resolve();
});

Deno.test("an answer without room is not made, and leaves another caller theirs", async () => {
  const { deliveries } = open();
  using _deliveries = deliveries;
  const refused = send(deliveries, 101);
  assert.throws(refused.begin, BUSY);
  assert.ok(refused.isCancelled());
  const [one, other] = [send(deliveries, 100), send(deliveries, 100, "other")];
  one.begin();
  assert.ok(other.begin());
  for (const { sent } of [one, other]) sent.resolve();
  await one.sent.promise;
});

Deno.test("a connection whose reader takes nothing for a time is closed, and its answer is not made further", async () => {
  const { clock, deliveries } = open();
  using _deliveries = deliveries;
  const [stuck, slow] = [send(deliveries, 10), send(deliveries, 10)];
  const [stuckReader, slowReader] = [stuck.begin().getReader(), slow.begin().getReader()];
  for (const reader of [stuckReader, slowReader]) await reader.read();
  clock.advance(ANSWER_STALL_MS - 1);
  await slowReader.read();
  clock.advance(1);
  await stuck.aborted;
  assert.ok(stuck.isCancelled());
  assert.ok(!slow.isCancelled());
  for (const { sent } of [stuck, slow]) sent.resolve();
});

Deno.test("a reader who waits for an answer that is not made yet is not cut off", async () => {
  const { clock, deliveries } = open();
  using _deliveries = deliveries;
  const sent = Promise.withResolvers<void>();
  let isAborted = false;
  const part = Promise.withResolvers<Uint8Array>();
  const source = new ReadableStream<Uint8Array>({
    pull: async (controller) => controller.enqueue(await part.promise),
  }, { highWaterMark: 0 });
  const abort = () => void (isAborted = true);
  const reader = deliveries.deliver(source, { caller: "one", sent: sent.promise, abort }, 0)
    .getReader();
  const reading = reader.read();
  // Another one that is given up shows that it was looked.
  const stuck = send(deliveries, 10);
  stuck.begin();
  clock.advance(ANSWER_STALL_MS);
  await stuck.aborted;
  assert.equal(isAborted, false);
  part.resolve(Uint8Array.of(7));
  assert.deepEqual((await reading).value, Uint8Array.of(7));
  for (const one of [sent, stuck.sent]) one.resolve();
});

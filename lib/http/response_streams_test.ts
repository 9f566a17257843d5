import assert from "node:assert/strict";
import { fakeClock } from "@/tests/support/test_services.ts";
import { ANSWER_STALL_MS } from "../limits.ts";
import { createByteBudget } from "./byte_budget.ts";
import { createResponseStreams, type ResponseStreams } from "./response_streams.ts";

const BUSY = { code: "SERVER_BUSY" };

function open(shareBytesMax = 100) {
  const clock = fakeClock();
  const budget = createByteBudget({ bytesMax: 2 * shareBytesMax, shareBytesMax });
  return { clock, streams: createResponseStreams(budget, () => clock.elapsed()) };
}

/** Prepares an answer of numbers and records its end. */
function send(streams: ResponseStreams, bodyBytes: number, holder = "one") {
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
  const recipient = { holder, sent: sent.promise, abort: aborted.resolve };
  const begin = () => streams.send(source, recipient, bodyBytes);
  return { begin, sent, aborted: aborted.promise, isCancelled: () => isCancelled };
}

Deno.test("send passes on an answer and reserves its memory until it is sent", async () => {
  const { streams } = open();
  using _streams = streams;
  const answer = send(streams, 80);
  const body = answer.begin();
  assert.throws(() => send(streams, 21).begin(), BUSY);
  assert.deepEqual([...await new Response(body).bytes()], [0, 1, 2]);
  assert.throws(() => send(streams, 21).begin(), BUSY);
  answer.sent.reject(new Error("cut off"));
  await answer.sent.promise.catch(() => {});
  const next = send(streams, 100);
  await next.begin().cancel();
  assert.ok(next.isCancelled());
  next.sent.resolve();
});

Deno.test("send refuses an answer beyond the holder's share and cancels it", async () => {
  const { streams } = open();
  using _streams = streams;
  const refused = send(streams, 101);
  assert.throws(refused.begin, BUSY);
  assert.ok(refused.isCancelled());
  const [one, other] = [send(streams, 100), send(streams, 100, "other")];
  one.begin();
  assert.ok(other.begin());
  for (const { sent } of [one, other]) sent.resolve();
  await one.sent.promise;
});

Deno.test("send closes a stalled connection and cancels its answer", async () => {
  const { clock, streams } = open();
  using _streams = streams;
  const [stuck, slow] = [send(streams, 10), send(streams, 10)];
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

Deno.test("send does not close a connection that waits for the answer to be produced", async () => {
  const { clock, streams } = open();
  using _streams = streams;
  const sent = Promise.withResolvers<void>();
  let isAborted = false;
  const part = Promise.withResolvers<Uint8Array>();
  const source = new ReadableStream<Uint8Array>({
    pull: async (controller) => controller.enqueue(await part.promise),
  }, { highWaterMark: 0 });
  const abort = () => void (isAborted = true);
  const reader = streams.send(source, { holder: "one", sent: sent.promise, abort }, 0)
    .getReader();
  const reading = reader.read();
  // A second answer that is closed shows that the check ran.
  const stuck = send(streams, 10);
  stuck.begin();
  clock.advance(ANSWER_STALL_MS);
  await stuck.aborted;
  assert.equal(isAborted, false);
  part.resolve(Uint8Array.of(7));
  assert.deepEqual((await reading).value, Uint8Array.of(7));
  for (const one of [sent, stuck.sent]) one.resolve();
});

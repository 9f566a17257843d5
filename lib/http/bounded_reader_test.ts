import assert from "node:assert/strict";
import { BoundedReader, boundedStream, readAllBytes, ReadFailed } from "./bounded_reader.ts";

const bytes = (...values: number[]) => new Uint8Array(values);

const timedStream = (source: ReadableStream<Uint8Array<ArrayBuffer>>, stallMs: number) =>
  boundedStream(source, { stallMs });

Deno.test("boundedStream passes on a stream unchanged", async () => {
  const source = ReadableStream.from([bytes(1, 2), bytes(3)]);
  assert.deepEqual(await new Response(timedStream(source, 60_000)).bytes(), bytes(1, 2, 3));
});

Deno.test("boundedStream fails and cancels its source if the source stalls", async () => {
  let cancelled: unknown = null;
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(bytes(1)),
    cancel: (reason) => void (cancelled = reason),
  });
  await assert.rejects(new Response(timedStream(source, 20)).bytes(), /No bytes came within 20 ms/);
  assert.ok(cancelled instanceof Error);
});

Deno.test("boundedStream runs no timer between two reads", async () => {
  const reader = timedStream(ReadableStream.from([bytes(1), bytes(2)]), 60_000).getReader();
  assert.deepEqual((await reader.read()).value, bytes(1));
  // Deno would report a running timer as a leak of this test.
  await reader.cancel();
});

Deno.test("boundedStream passes on failures and cancellations", async () => {
  const failing = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.error(new Error("cut")),
  });
  await assert.rejects(new Response(timedStream(failing, 60_000)).bytes(), /cut/);
  let cancelled: unknown = null;
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    cancel: (reason) => void (cancelled = reason),
  });
  await timedStream(source, 60_000).cancel("enough");
  assert.equal(cancelled, "enough");
});

Deno.test("an aborted signal ends waiting and later reads with its reason", async () => {
  let cancelled: unknown = null;
  const source = () =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(bytes(1)),
      cancel: (reason) => void (cancelled = reason),
    });
  const control = new AbortController();
  using reader = new BoundedReader(source(), { stallMs: 60_000, signal: control.signal });
  assert.deepEqual(await reader.read(), bytes(1));
  const waiting = reader.read();
  control.abort("over");
  await assert.rejects(waiting, (reason) => reason === "over");
  assert.equal(cancelled, "over");
  using late = new BoundedReader(source(), { signal: control.signal });
  await assert.rejects(late.read(), (reason) => reason === "over");
});

const failsAs = (failure: string) => (error: unknown) =>
  error instanceof ReadFailed && error.failure === failure;

/** Returns a stream of pieces that records whether it was cancelled. */
function piecesOf(...pieces: Uint8Array<ArrayBuffer>[]) {
  const seen = { stopped: false };
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
    cancel: () => void (seen.stopped = true),
  }, { highWaterMark: 0 });
  return { stream, seen };
}

Deno.test("readAllBytes accepts a stream of `bytesMax` bytes and cancels a longer one", async () => {
  const exact = piecesOf(bytes(1, 2), bytes(3));
  assert.deepEqual(await readAllBytes(exact.stream, { bytesMax: 3 }), bytes(1, 2, 3));
  assert.equal(exact.seen.stopped, false);
  const longer = piecesOf(bytes(1, 2), bytes(3, 4), bytes(5));
  await assert.rejects(readAllBytes(longer.stream, { bytesMax: 3 }), failsAs("too long"));
  assert.equal(longer.seen.stopped, true);
  assert.deepEqual(await readAllBytes(piecesOf().stream, { bytesMax: 0 }), bytes());
});

Deno.test("readAllBytes calls `onBytes` for each chunk and cancels the stream if it throws", async () => {
  const reported: number[] = [];
  const { stream, seen } = piecesOf(bytes(1, 2), bytes(3), bytes(4));
  const onBytes = (bytes: number) => {
    reported.push(bytes);
    if (reported.length === 2) throw new Error("no room");
  };
  await assert.rejects(readAllBytes(stream, { onBytes }), { message: "no room" });
  assert.deepEqual(reported, [2, 1]);
  assert.equal(seen.stopped, true);
});

Deno.test("`totalMs` limits the entire read even if bytes keep arriving", async () => {
  let dripping: ReturnType<typeof setInterval>;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => void (dripping = setInterval(() => controller.enqueue(bytes(1)), 5)),
    cancel: () => clearInterval(dripping),
  });
  await assert.rejects(readAllBytes(stream, { totalMs: 30, stallMs: 10_000 }), failsAs("late"));
});

Deno.test("readAllBytes rejects with the cause if the stream breaks off", async () => {
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.error(new Error("cut")),
  });
  const broken = readAllBytes(stream, {});
  await assert.rejects(broken, failsAs("broken off"));
  await assert.rejects(broken, { message: "The stream broke off: Error: cut" });
});

Deno.test("disposing a BoundedReader cancels the stream", async () => {
  const { stream, seen } = piecesOf(bytes(1), bytes(2));
  {
    using reader = new BoundedReader(stream, {});
    assert.deepEqual(await reader.read(), bytes(1));
  }
  assert.equal(seen.stopped, true);
});

Deno.test("boundedStream fails with the translated error", async () => {
  const { stream } = piecesOf(bytes(1, 2));
  const bounded = boundedStream(stream, { bytesMax: 1 }, ({ failure }) => new TypeError(failure));
  await assert.rejects(new Response(bounded).bytes(), { name: "TypeError", message: "too long" });
});

import assert from "node:assert/strict";
import { BoundedReader, boundedStream, ReadFailed, readWhole } from "./bounded_reader.ts";

const bytes = (...values: number[]) => new Uint8Array(values);

const timedStream = (source: ReadableStream<Uint8Array<ArrayBuffer>>, stallMs: number) =>
  boundedStream(source, { stallMs });

Deno.test("a stream that comes is handed on as it is", async () => {
  const source = ReadableStream.from([bytes(1, 2), bytes(3)]);
  assert.deepEqual(await new Response(timedStream(source, 60_000)).bytes(), bytes(1, 2, 3));
});

Deno.test("a stream that stops coming fails, and its source is let go", async () => {
  let cancelled: unknown = null;
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(bytes(1)),
    cancel: (reason) => void (cancelled = reason),
  });
  await assert.rejects(new Response(timedStream(source, 20)).bytes(), /No bytes came within 20 ms/);
  assert.ok(cancelled instanceof Error);
});

Deno.test("no time runs between two reads", async () => {
  const reader = timedStream(ReadableStream.from([bytes(1), bytes(2)]), 60_000).getReader();
  assert.deepEqual((await reader.read()).value, bytes(1));
  // A timer that still ran would be found as a leak of this test.
  await reader.cancel();
});

Deno.test("a failure and a cancel are handed on", async () => {
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

Deno.test("who gives it up ends a read that waits, with the reason, before and after", async () => {
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

/** Comes in these pieces, and tells whether it was told to stop. */
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

Deno.test("a stream may have exactly as many bytes as its limit, and is stopped at the next one", async () => {
  const exact = piecesOf(bytes(1, 2), bytes(3));
  assert.deepEqual(await readWhole(exact.stream, { bytesMax: 3 }), bytes(1, 2, 3));
  assert.equal(exact.seen.stopped, false);
  const longer = piecesOf(bytes(1, 2), bytes(3, 4), bytes(5));
  await assert.rejects(readWhole(longer.stream, { bytesMax: 3 }), failsAs("too long"));
  assert.equal(longer.seen.stopped, true);
  assert.deepEqual(await readWhole(piecesOf().stream, { bytesMax: 0 }), bytes());
});

Deno.test("each chunk is told of before it is handed over, and who refuses it stops the stream", async () => {
  const told: number[] = [];
  const { stream, seen } = piecesOf(bytes(1, 2), bytes(3), bytes(4));
  const onBytes = (bytes: number) => {
    told.push(bytes);
    if (told.length === 2) throw new Error("no room");
  };
  await assert.rejects(readWhole(stream, { onBytes }), { message: "no room" });
  assert.deepEqual(told, [2, 1]);
  assert.equal(seen.stopped, true);
});

Deno.test("bytes that keep coming do not put off the end of the whole time", async () => {
  let dripping: ReturnType<typeof setInterval>;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => void (dripping = setInterval(() => controller.enqueue(bytes(1)), 5)),
    cancel: () => clearInterval(dripping),
  });
  await assert.rejects(readWhole(stream, { wholeMs: 30, stallMs: 10_000 }), failsAs("late"));
});

Deno.test("a stream that breaks off says why, and is told from one that ends", async () => {
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.error(new Error("cut")),
  });
  const broken = readWhole(stream, {});
  await assert.rejects(broken, failsAs("broken off"));
  await assert.rejects(broken, { message: "The stream broke off: Error: cut" });
});

Deno.test("leaving the reader stops the stream, once", async () => {
  const { stream, seen } = piecesOf(bytes(1), bytes(2));
  {
    using reader = new BoundedReader(stream, {});
    assert.deepEqual(await reader.read(), bytes(1));
  }
  assert.equal(seen.stopped, true);
});

Deno.test("a stream fails with what its reader makes of the failure", async () => {
  const { stream } = piecesOf(bytes(1, 2));
  const bounded = boundedStream(stream, { bytesMax: 1 }, ({ failure }) => new TypeError(failure));
  await assert.rejects(new Response(bounded).bytes(), { name: "TypeError", message: "too long" });
});

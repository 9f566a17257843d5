import assert from "node:assert/strict";
import { timedStream } from "./timed_stream.ts";

const bytes = (...values: number[]) => new Uint8Array(values);

Deno.test("a stream that comes is handed on as it is", async () => {
  const source = ReadableStream.from([bytes(1, 2), bytes(3)]);
  assert.deepEqual(await new Response(timedStream(source, 60_000)).bytes(), bytes(1, 2, 3));
});

Deno.test("a stream that stops coming fails, and its source is let go", async () => {
  let cancelled: unknown = null;
  const source = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes(1)),
    cancel: (reason) => void (cancelled = reason),
  });
  await assert.rejects(new Response(timedStream(source, 20)).bytes(), /No bytes came within 20 ms/);
  assert.ok(cancelled instanceof Error);
});

Deno.test("who does not read is not late: between two reads no time runs", async () => {
  const reader = timedStream(ReadableStream.from([bytes(1), bytes(2)]), 60_000).getReader();
  assert.deepEqual((await reader.read()).value, bytes(1));
  // A timer that still ran would be found as a leak of this test.
  await reader.cancel();
});

Deno.test("a failure and a cancel are handed on", async () => {
  const failing = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error("cut")),
  });
  await assert.rejects(new Response(timedStream(failing, 60_000)).bytes(), /cut/);
  let cancelled: unknown = null;
  const source = new ReadableStream<Uint8Array>({ cancel: (reason) => void (cancelled = reason) });
  await timedStream(source, 60_000).cancel("enough");
  assert.equal(cancelled, "enough");
});

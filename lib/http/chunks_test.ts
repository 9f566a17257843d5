import assert from "node:assert/strict";
import { readChunks } from "./chunks.ts";

const LONG = { stallMs: 60_000, totalMs: 60_000 };

function sent(
  pull: (index: number, controller: ReadableStreamDefaultController<Uint8Array>) => unknown,
): Request & { readonly cancelled: () => boolean } {
  let [index, cancelled] = [0, false];
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => void await pull(index++, controller),
    cancel: () => void (cancelled = true),
  }, { highWaterMark: 0 });
  const request = new Request("http://localhost/", { method: "PUT", body });
  return Object.assign(request, { cancelled: () => cancelled });
}

async function read(request: Request, limits = LONG, arrived?: () => void): Promise<number> {
  let bytes = 0;
  for await (const chunk of readChunks(request, limits, arrived)) bytes += chunk.length;
  return bytes;
}

const piece = new Uint8Array(10);

Deno.test("readChunks yields chunks as they arrive and reports each of them", async () => {
  let arrived = 0;
  const request = sent((i, stream) => i < 3 ? stream.enqueue(piece) : stream.close());
  assert.equal(await read(request, LONG, () => void arrived++), 30);
  assert.ok(arrived >= 3);
  assert.equal(await read(new Request("http://localhost/")), 0, "no body");
});

Deno.test("readChunks reads byte streams through one buffer without changing bytes", async () => {
  const pieces = Array.from({ length: 300 }, (_, i) => new Uint8Array(1 + i * 7).fill(i));
  let [at, cancelled] = [0, false];
  const body = new ReadableStream<Uint8Array>({
    type: "bytes",
    pull(controller) {
      const piece = pieces[at++];
      if (piece !== undefined) return controller.enqueue(piece.slice());
      controller.close();
      if ("byobRequest" in controller) controller.byobRequest?.respond(0);
    },
    cancel: () => void (cancelled = true),
  });
  const sent = pieces.flatMap((piece) => [...piece]);
  const received: number[] = [];
  for await (
    const chunk of readChunks(new Request("http://localhost/", { method: "PUT", body }), LONG)
  ) {
    received.push(...chunk);
  }
  assert.deepEqual(received, sent);
  assert.equal(cancelled, false);
});

Deno.test("readChunks times out while it reads through one buffer", () =>
  onClock(async (pass) => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      type: "bytes",
      pull(controller) {
        controller.enqueue(new Uint8Array(10));
        queueMicrotask(() => pass(1000));
        return new Promise(() => {});
      },
      cancel: () => void (cancelled = true),
    });
    const request = new Request("http://localhost/", { method: "PUT", body });
    await assert.rejects(read(request, { ...LONG, stallMs: 100 }), { code: "REQUEST_TIMEOUT" });
    assert.equal(cancelled, true);
  }));

Deno.test("readChunks ends where a body is cut off", async () => {
  const request = sent((i, stream) => {
    if (i === 2) throw new Error("connection reset");
    stream.enqueue(piece);
  });
  assert.equal(await read(request), 20);
});

Deno.test("readChunks cancels the body if its caller stops reading", async () => {
  const request = sent((_, stream) => stream.enqueue(piece));
  for await (const _chunk of readChunks(request, LONG)) break;
  assert.equal(request.cancelled(), true);
});

/** Runs `work` with a manual clock, which runs the due timers when it advances. */
async function onClock(work: (pass: (ms: number) => void) => Promise<void>): Promise<void> {
  const { setTimeout, clearTimeout } = globalThis;
  const { now } = performance;
  const waiting = new Map<number, { readonly dueAt: number; readonly call: () => void }>();
  let [time, timers] = [0, 0];
  performance.now = () => time;
  const begin = (call: () => void, ms: number) => {
    waiting.set(++timers, { dueAt: time + ms, call });
    return timers;
  };
  const end = (timer: number) => void waiting.delete(timer);
  Object.assign(globalThis, { setTimeout: begin, clearTimeout: end });
  try {
    await work((ms) => {
      time += ms;
      for (const { dueAt, call } of waiting.values()) if (dueAt <= time) call();
    });
    assert.equal(waiting.size, 0, "no timer is left");
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
    performance.now = now;
  }
}

Deno.test("readChunks times out if nothing arrives within `stallMs`", () =>
  onClock(async (pass) => {
    const request = sent((i, stream) => {
      if (i === 0) return stream.enqueue(piece);
      queueMicrotask(() => pass(99));
      queueMicrotask(() => pass(1));
      return new Promise(() => {});
    });
    await assert.rejects(read(request, { ...LONG, stallMs: 100 }), { code: "REQUEST_TIMEOUT" });
    assert.equal(request.cancelled(), true);
  }));

Deno.test("readChunks accepts a slow body if something arrives within each `stallMs`", () =>
  onClock(async (pass) => {
    const request = sent((i, stream) => {
      pass(99);
      if (i < 50) stream.enqueue(piece);
      else stream.close();
    });
    assert.equal(await read(request, { ...LONG, stallMs: 100 }), 500);
  }));

Deno.test("readChunks times out after `totalMs` even if bytes keep arriving", () =>
  onClock(async (pass) => {
    let pieces = 0;
    const request = sent((_, stream) => {
      pass(10);
      pieces++;
      stream.enqueue(piece);
    });
    const limits = { stallMs: 100, totalMs: 1000 };
    await assert.rejects(read(request, limits), { code: "REQUEST_TIMEOUT" });
    assert.equal(pieces, 100);
    assert.equal(request.cancelled(), true);
  }));

import assert from "node:assert/strict";
import { readJson } from "@/lib/http/body.ts";
import { createDeadlines } from "@/lib/http/deadline.ts";
import { Problem } from "@/lib/problems.ts";

const code = (error: unknown): string => error instanceof Problem ? error.code : String(error);

const post = (body: BodyInit): Request =>
  new Request("http://localhost/", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });

Deno.test("a body that stops coming is given up after its time, and its sender told", async () => {
  for (const head of ["", '{"half":']) {
    let cancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(head || " ")),
      pull: () => new Promise(() => {}),
      cancel: () => void (cancelled = true),
    });
    const refusal = await readJson(post(stream), 1000, 1).catch(code);
    assert.equal(refusal, "REQUEST_TIMEOUT");
    assert.ok(cancelled);
  }
});

Deno.test("a body that comes in time is read, in however many pieces, and leaves no timer", async () => {
  const bytes = new TextEncoder().encode('{"text":"é雪😀"}');
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
      controller.close();
    },
  });
  assert.deepEqual(await readJson(post(stream), 1000, 60_000), { text: "é雪😀" });
});

/** Deadlines over a clock and an interval that move only by hand. */
function byHand(timeoutMs: number) {
  let now = 0;
  let look: (() => void) | null = null;
  const real = { set: globalThis.setInterval, clear: globalThis.clearInterval };
  globalThis.setInterval = ((work: () => void) => {
    look = work;
    return 1;
  }) as unknown as typeof setInterval; // Nobody looks at the handle but clearInterval.
  globalThis.clearInterval = () => void (look = null);
  const deadlines = createDeadlines(timeoutMs, () => now);
  return {
    deadlines,
    advance(ms: number) {
      now += ms;
      look?.();
    },
    watching: () => look !== null,
    [Symbol.dispose]() {
      deadlines[Symbol.dispose]();
      globalThis.setInterval = real.set;
      globalThis.clearInterval = real.clear;
    },
  };
}

Deno.test("work that does not end in time is given up with HANDLER_TIMEOUT", async () => {
  using hand = byHand(30_000);
  const waiting = hand.deadlines.within(() => new Promise(() => {})).catch(code);
  hand.advance(29_999);
  const early = await Promise.race([waiting, Promise.resolve("waiting")]);
  assert.equal(early, "waiting");
  hand.advance(1);
  assert.equal(await waiting, "HANDLER_TIMEOUT");
});

Deno.test("work that ends in time settles as it does, and nothing is watched any more", async () => {
  using hand = byHand(1000);
  assert.equal(await hand.deadlines.within(() => Promise.resolve("done")), "done");
  const failed = hand.deadlines.within(() => Promise.reject(new Problem("INVALID_ID")));
  assert.equal(await failed.catch(code), "INVALID_ID");
  await Promise.resolve();
  hand.advance(5000);
  assert.equal(hand.watching(), false);
});

Deno.test("the body's time is not the handler's: reading it starts the time anew", async () => {
  using hand = byHand(1000);
  let restart!: () => void;
  const waiting = hand.deadlines.within((anew) => {
    restart = anew;
    return new Promise(() => {});
  }).catch(code);
  hand.advance(900);
  restart();
  hand.advance(900);
  assert.equal(await Promise.race([waiting, Promise.resolve("waiting")]), "waiting");
  hand.advance(100);
  assert.equal(await waiting, "HANDLER_TIMEOUT");
});

Deno.test("each of many requests has a time of its own", async () => {
  using hand = byHand(1000);
  const first = hand.deadlines.within(() => new Promise(() => {})).catch(code);
  hand.advance(600);
  const second = hand.deadlines.within(() => new Promise(() => {})).catch(code);
  hand.advance(400);
  assert.equal(await first, "HANDLER_TIMEOUT");
  assert.equal(await Promise.race([second, Promise.resolve("waiting")]), "waiting");
  hand.advance(600);
  assert.equal(await second, "HANDLER_TIMEOUT");
});

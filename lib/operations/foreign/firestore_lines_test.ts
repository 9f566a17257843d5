import assert from "node:assert/strict";
import { readLines } from "./firestore_lines.ts";

const BYTES = new TextEncoder().encode('{"a":"ä😀"}\r\n\n  \n{"b":1}\n{"c":2}');

const streamOf = (size: number): ReadableStream<Uint8Array<ArrayBuffer>> =>
  ReadableStream.from(
    Array.from({ length: Math.ceil(BYTES.length / size) }, (_, n) =>
      BYTES.slice(n * size, (n + 1) * size)),
  );

Deno.test("readLines yields lines with their numbers for any division into chunks", async () => {
  for (const size of [1, 2, 3, 7, 1000]) {
    assert.deepEqual(await Array.fromAsync(readLines(streamOf(size))), [
      { text: '{"a":"ä😀"}', number: 1 },
      { text: '{"b":1}', number: 4 },
      { text: '{"c":2}', number: 5 },
    ]);
  }
});

Deno.test("readLines names the line that is not UTF-8, and recognizes UTF-16", async () => {
  const cases: [number[], RegExp][] = [
    [[0x7b, 0x7d, 0x0a, 0x0a, 0x22, 0xfc, 0x22, 0x0a, 0x7b], /^Line 3 is not UTF-8, but perhaps/],
    [[0x7b, 0x7d, 0x0a, 0xc3], /^Line 2 is not UTF-8.*or was cut off/],
    [[0xff, 0xfe, 0x7b, 0x00, 0x0a, 0x00], /^Line 1 is UTF-16, not UTF-8/],
  ];
  for (const [bytes, refusal] of cases) {
    const lines = readLines(ReadableStream.from([Uint8Array.from(bytes)]));
    await assert.rejects(Array.fromAsync(lines), { message: refusal, code: "INVALID_INPUT" });
  }
  const marked = ReadableStream.from([Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d)]);
  assert.deepEqual(await Array.fromAsync(readLines(marked)), [{ text: "{}", number: 1 }]);
});

Deno.test("readLines refuses an endless line before it fills the memory", async () => {
  let sent = 0;
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      sent++;
      controller.enqueue(new Uint8Array(1_048_576).fill(0x78));
    },
  });
  await assert.rejects(() => Array.fromAsync(readLines(endless)), /Line 1 is longer than/);
  assert.ok(sent < 30, `${sent} MiB`);
});

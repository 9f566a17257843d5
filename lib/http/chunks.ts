import { Problem } from "../problems.ts";

/** How long a body may take that is as long as a file. */
export interface ChunkLimits {
  /** Milliseconds in which something must arrive. */
  readonly stallMs: number;
  /** Milliseconds for all of it. */
  readonly wholeMs: number;
}

const LOOK_EVERY_MS = 1000;

/**
 * The body as it arrives, a chunk at a time, so that no more of it is held. A body that was cut off
 * ends as if it were whole: who knows its length counts. Throws `REQUEST_TIMEOUT`, up to a second
 * late.
 *
 * A chunk is good until the next one is asked for: its memory is used again.
 *
 * @param arrived Told of every chunk.
 */
export async function* readChunks(
  { body }: Request,
  { stallMs, wholeMs }: ChunkLimits,
  arrived: () => void = () => {},
): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  const reader = sparingReader(body);
  const end = () => void reader.cancel().catch(() => {}); // The client may be gone already.
  const began = performance.now();
  let [last, isLate] = [began, false];
  // One timer, and no race with it: chunks of a byte each would leave a trace of every race behind.
  const timer = setInterval(() => {
    const now = performance.now();
    isLate = now - last >= stallMs || now - began >= wholeMs;
    if (isLate) end();
  }, Math.min(LOOK_EVERY_MS, stallMs, wholeMs));
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (isLate) throw new Problem("REQUEST_TIMEOUT");
      arrived();
      if (done || value === undefined) return;
      last = performance.now();
      yield value;
    }
  } finally {
    clearInterval(timer);
    end();
  }
}

interface ChunkReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

const BUFFER_BYTES = 65_536;

/** Reads into one buffer again and again, where the stream can: many uploads at once leave less. */
function sparingReader(body: ReadableStream<Uint8Array>): ChunkReader {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch {
    return body.getReader(); // Of a test, or of nothing.
  }
  let buffer = new ArrayBuffer(BUFFER_BYTES);
  return {
    async read() {
      const { done, value } = await reader.read(new Uint8Array(buffer));
      if (value !== undefined) buffer = value.buffer;
      return { done, value };
    },
    cancel: () => reader.cancel(),
  };
}

/** The one way to read bytes that somebody else sends: bounded in size and in time. */

export interface ReadLimits {
  /** Without a bound if left out. */
  readonly bytesMax?: number;
  /** Milliseconds that a read waits for bytes; how slowly they are asked for does not matter. */
  readonly stallMs?: number;
  /** Milliseconds for all of it, from the first read on. */
  readonly wholeMs?: number;
  /** Ends the reading with its reason. */
  readonly signal?: AbortSignal;
  /** Told of the bytes of each chunk as it arrives; what it throws ends the reading. */
  readonly onBytes?: (bytes: number) => void;
  /** Whether a chunk is good only until the next one is asked for: its memory is used again. */
  readonly reusesMemory?: boolean;
}

/** Why there are no more bytes, though the stream has not come to its end. */
export type ReadFailure = "too long" | "late" | "broken off";

export class ReadFailed extends Error {
  override readonly name = "ReadFailed";
  readonly failure: ReadFailure;

  constructor(failure: ReadFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

type Bytes = Uint8Array<ArrayBuffer>;
type ByteStream = ReadableStream<Bytes>;

interface ByteSource {
  read(): Promise<{ readonly done: boolean; readonly value?: Bytes | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

/** Disposing tells the sender to stop, where the stream has not come to its end. */
export class BoundedReader implements Disposable {
  readonly #limits: ReadLimits;
  readonly #source: ByteSource;
  /** By `performance.now()`, the first read of one that may not stall. */
  #began: number | null = null;
  #bytes = 0;
  /** Why it was ended from here. */
  #ended: { readonly by: unknown } | null = null;
  /** Of the read that waits where it may not stall, else of all of it. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasEnded = false;

  constructor(stream: ByteStream, limits: ReadLimits) {
    this.#limits = limits;
    this.#source = limits.reusesMemory ? sparingSource(stream) : stream.getReader();
    const { signal } = limits;
    if (signal?.aborted) this.#aborted();
    else signal?.addEventListener("abort", this.#aborted);
  }

  /**
   * The next chunk; null at the end. Throws `ReadFailed`, what `onBytes` throws, and the reason of
   * the signal; then nothing more is to be had, and the stream is to be cancelled.
   */
  async read(): Promise<Bytes | null> {
    this.#throwIfEnded();
    this.#watch();
    let chunk: Bytes | null;
    try {
      const { done, value } = await this.#source.read();
      chunk = done || value === undefined ? null : value;
    } catch (cause) {
      this.#throwIfEnded();
      throw new ReadFailed("broken off", `The stream broke off: ${cause}`, { cause });
    } finally {
      if (this.#limits.stallMs !== undefined) clearTimeout(this.#timer);
    }
    this.#throwIfEnded();
    if (chunk === null) this.#end();
    else this.#count(chunk.length);
    return chunk;
  }

  cancel(reason?: unknown): void {
    if (this.#hasEnded) return;
    this.#end();
    this.#source.cancel(reason).catch(() => {}); // The sender may be gone already.
  }

  [Symbol.dispose](): void {
    this.cancel();
  }

  #throwIfEnded(): void {
    if (this.#ended !== null) throw this.#ended.by;
  }

  /** When time is up, cancelling settles the read: a race would leave a trace of every chunk. */
  #watch(): void {
    const { stallMs, wholeMs = Infinity } = this.#limits;
    if (stallMs === undefined) {
      if (wholeMs < Infinity) this.#timer ??= setTimeout(() => this.#giveUp(wholeMs), wholeMs);
      return;
    }
    const now = performance.now();
    this.#began ??= now;
    const ms = Math.max(0, Math.min(stallMs, this.#began + wholeMs - now));
    this.#timer = setTimeout(() => this.#giveUp(Math.min(stallMs, wholeMs)), ms);
  }

  #end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#limits.signal?.removeEventListener("abort", this.#aborted);
  }

  #giveUp(ms: number): void {
    this.#endBy(new ReadFailed("late", `No bytes came within ${ms} ms`));
  }

  readonly #aborted = (): void => this.#endBy(this.#limits.signal!.reason);

  #endBy(why: unknown): void {
    this.#ended = { by: why };
    this.cancel(why);
  }

  #count(bytes: number): void {
    const { bytesMax = Infinity, onBytes } = this.#limits;
    this.#bytes += bytes;
    if (this.#bytes > bytesMax) {
      throw new ReadFailed("too long", `The stream has more than ${bytesMax} bytes`);
    }
    onBytes?.(bytes);
  }
}

const BUFFER_BYTES = 65_536;

/** Reads into one buffer again and again, where the stream can: many uploads at once leave less. */
function sparingSource(stream: ByteStream): ByteSource {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = stream.getReader({ mode: "byob" });
  } catch {
    return stream.getReader(); // Of a test, or of nothing.
  }
  let buffer = new ArrayBuffer(BUFFER_BYTES);
  return {
    async read() {
      const { done, value } = await reader.read(new Uint8Array(buffer));
      if (value !== undefined) buffer = value.buffer;
      return { done, value };
    },
    cancel: (reason) => reader.cancel(reason),
  };
}

/** All of it, as it came. What is too long is never held. Throws `ReadFailed`, and what `onBytes` throws. */
export async function readChunksOf(stream: ByteStream, limits: ReadLimits): Promise<Bytes[]> {
  using reader = new BoundedReader(stream, limits);
  const chunks: Bytes[] = [];
  for (let chunk = await reader.read(); chunk !== null; chunk = await reader.read()) {
    chunks.push(chunk);
  }
  return chunks;
}

/** The same in one piece. */
export async function readWhole(stream: ByteStream, limits: ReadLimits): Promise<Bytes> {
  const chunks = await readChunksOf(stream, limits);
  return chunks.length === 1 ? chunks[0]! : joined(chunks);
}

/** Of memory of its own. */
export function joined(chunks: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** The same bytes as a stream that fails beyond its limits, with what `translate` makes of it. */
export function boundedStream(
  stream: ByteStream,
  limits: ReadLimits,
  translate: (failure: ReadFailed) => Error = (failure) => failure,
): ByteStream {
  const reader = new BoundedReader(stream, limits);
  return new ReadableStream<Bytes>({
    async pull(controller) {
      try {
        const chunk = await reader.read();
        if (chunk === null) controller.close();
        else controller.enqueue(chunk);
      } catch (error) {
        reader.cancel(error);
        throw error instanceof ReadFailed ? translate(error) : error;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

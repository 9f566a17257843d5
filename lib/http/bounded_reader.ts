export interface ReadLimits {
  /** Maximum size in bytes; unlimited by default. */
  readonly bytesMax?: number;
  /** Milliseconds that one read waits for bytes. Time between two reads does not count. */
  readonly stallMs?: number;
  /** Milliseconds for the entire stream, from the first read on. */
  readonly totalMs?: number;
  /** Makes reads reject with its reason. */
  readonly signal?: AbortSignal;
  /** Called with the size of each chunk that arrives. If it throws, the read rejects. */
  readonly onBytes?: (bytes: number) => void;
  /** Whether a chunk is valid only until the next read, because its memory is used again. */
  readonly reusesMemory?: boolean;
}

/** The reason why a stream could not be read to its end. */
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

/** Reads a stream within limits. Disposing cancels the stream, unless it has ended. */
export class BoundedReader implements Disposable {
  readonly #limits: ReadLimits;
  readonly #source: ByteSource;
  /** Time of the first read by `performance.now()`, if `stallMs` is set. */
  #began: number | null = null;
  #bytes = 0;
  /** The error with which all further reads reject. */
  #failedWith: { readonly by: unknown } | null = null;
  /** Timer of the current read if `stallMs` is set, otherwise of the entire stream. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isFinished = false;

  constructor(stream: ByteStream, limits: ReadLimits) {
    this.#limits = limits;
    this.#source = limits.reusesMemory ? bufferReusingSource(stream) : stream.getReader();
    const { signal } = limits;
    if (signal?.aborted) this.#onAbort();
    else signal?.addEventListener("abort", this.#onAbort);
  }

  /** Returns null at the end. After `ReadFailed` or another error, the caller must cancel. */
  async read(): Promise<Bytes | null> {
    this.#throwIfFailed();
    this.#startTimer();
    let chunk: Bytes | null;
    try {
      const { done, value } = await this.#source.read();
      chunk = done || value === undefined ? null : value;
    } catch (cause) {
      this.#throwIfFailed();
      throw new ReadFailed("broken off", `The stream broke off: ${cause}`, { cause });
    } finally {
      if (this.#limits.stallMs !== undefined) clearTimeout(this.#timer);
    }
    this.#throwIfFailed();
    if (chunk === null) this.#finish();
    else this.#countBytes(chunk.length);
    return chunk;
  }

  cancel(reason?: unknown): void {
    if (this.#isFinished) return;
    this.#finish();
    this.#source.cancel(reason).catch(() => {}); // The sender may be gone already.
  }

  [Symbol.dispose](): void {
    this.cancel();
  }

  #throwIfFailed(): void {
    if (this.#failedWith !== null) throw this.#failedWith.by;
  }

  /** The timer cancels the source, because a race would keep memory for each chunk. */
  #startTimer(): void {
    const { stallMs, totalMs = Infinity } = this.#limits;
    if (stallMs === undefined) {
      if (totalMs < Infinity) this.#timer ??= setTimeout(() => this.#timeOut(totalMs), totalMs);
      return;
    }
    const now = performance.now();
    this.#began ??= now;
    const ms = Math.max(0, Math.min(stallMs, this.#began + totalMs - now));
    this.#timer = setTimeout(() => this.#timeOut(Math.min(stallMs, totalMs)), ms);
  }

  #finish(): void {
    this.#isFinished = true;
    clearTimeout(this.#timer);
    this.#limits.signal?.removeEventListener("abort", this.#onAbort);
  }

  #timeOut(ms: number): void {
    this.#failWith(new ReadFailed("late", `No bytes came within ${ms} ms`));
  }

  readonly #onAbort = (): void => this.#failWith(this.#limits.signal!.reason);

  #failWith(why: unknown): void {
    this.#failedWith = { by: why };
    this.cancel(why);
  }

  #countBytes(bytes: number): void {
    const { bytesMax = Infinity, onBytes } = this.#limits;
    this.#bytes += bytes;
    if (this.#bytes > bytesMax) {
      throw new ReadFailed("too long", `The stream has more than ${bytesMax} bytes`);
    }
    onBytes?.(bytes);
  }
}

const BUFFER_BYTES = 65_536;

/** Reads into one buffer if the stream can, which saves memory with many concurrent uploads. */
function bufferReusingSource(stream: ByteStream): ByteSource {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = stream.getReader({ mode: "byob" });
  } catch {
    return stream.getReader(); // Streams of tests, and empty ones.
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

/** Reads all chunks of a stream. Throws `ReadFailed` and the errors of `onBytes`. */
export async function readAllChunks(stream: ByteStream, limits: ReadLimits): Promise<Bytes[]> {
  using reader = new BoundedReader(stream, limits);
  const chunks: Bytes[] = [];
  for (let chunk = await reader.read(); chunk !== null; chunk = await reader.read()) {
    chunks.push(chunk);
  }
  return chunks;
}

/** Reads a stream into one array. Throws `ReadFailed` and the errors of `onBytes`. */
export async function readAllBytes(stream: ByteStream, limits: ReadLimits): Promise<Bytes> {
  const chunks = await readAllChunks(stream, limits);
  return chunks.length === 1 ? chunks[0]! : concatBytes(chunks);
}

export function concatBytes(chunks: readonly Uint8Array[]): Bytes {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Returns a stream that fails if the source exceeds its limits. `translate` converts the error. */
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

const encoder = new TextEncoder();

export const encodeText = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

export interface SinkOptions {
  /** Bytes that may be queued, in addition to those of {@linkcode Sink.sendUnbounded}. */
  readonly bytesMax: number;
  /** Called when the reader has read everything after chunks were dropped. */
  readonly caughtUp: () => void;
  /** Called when the reader cancels the stream. */
  readonly gone: () => void;
}

/** Size of the parts of an unbounded chunk, which another thread can only read completely. */
const PART_BYTES = 65_536;

/** Drops chunks for a slow reader until it has read everything, then calls `caughtUp`. */
export class Sink {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly #options: SinkOptions;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  /** Queued bytes up to the end of an unbounded chunk, if one is perhaps not read yet. */
  #unboundedBytes = 0;
  /** Memory reservation of the unbounded chunk. */
  #reservation: Disposable | null = null;
  #isBehind = false;
  #isEnded = false;

  // The stream has no `pull`, because each call of it would leave a promise until the next chunk.
  constructor(options: SinkOptions) {
    this.#options = options;
    const start = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
      this.#controller = controller;
    };
    const cancel = () => {
      this.#isEnded = true;
      this.#release();
      options.gone();
    };
    const strategy = new ByteLengthQueuingStrategy({ highWaterMark: options.bytesMax });
    this.body = new ReadableStream({ start, cancel }, strategy);
  }

  /** Whether chunks are dropped because the reader has not caught up. */
  isBehind(): boolean {
    this.check();
    return this.#isBehind;
  }

  send(chunk: Uint8Array<ArrayBuffer>): void {
    if (this.#isEnded || this.isBehind()) return;
    const waiting = this.#waiting();
    if (waiting - this.#unboundedBytes + chunk.length > this.#options.bytesMax) {
      this.#isBehind = true;
    } else {
      this.#controller.enqueue(chunk);
    }
  }

  /** Drops the chunk above `bytesMax`. `reservation` is disposed of when the chunk is read. */
  sendUnbounded(chunk: Uint8Array<ArrayBuffer>, reservation: Disposable): void {
    const waiting = this.#isEnded ? 0 : this.#waiting();
    this.#isBehind = waiting > this.#options.bytesMax;
    if (this.#isEnded || this.#isBehind) return reservation[Symbol.dispose]();
    this.#release();
    this.#reservation = reservation;
    this.#unboundedBytes = waiting + chunk.length;
    for (let at = 0; at < chunk.length; at += PART_BYTES) {
      this.#controller.enqueue(chunk.slice(at, at + PART_BYTES));
    }
  }

  /** Calls `caughtUp` if the reader has caught up. Called regularly, also when nothing is sent. */
  check(): void {
    if (this.#isEnded || this.#waiting() > 0 || !this.#isBehind) return;
    this.#isBehind = false;
    this.#options.caughtUp();
  }

  /** Closes the stream after the queued chunks and a last one. */
  end(last: Uint8Array<ArrayBuffer>): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#controller.enqueue(last);
    this.#controller.close();
    this.#release();
  }

  #release(): void {
    this.#unboundedBytes = 0;
    this.#reservation?.[Symbol.dispose]();
    this.#reservation = null;
  }

  #waiting(): number {
    const waiting = this.#options.bytesMax - this.#controller.desiredSize!; // The stream is open.
    if (waiting === 0) this.#release();
    return waiting;
  }
}

const encoder = new TextEncoder();

export const encoded = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

export interface SinkOptions {
  /** Bytes that may wait, beside what is sent by {@linkcode Sink.sendFirst}. */
  readonly bytesMax: number;
  /** The reader has taken all that waited, after some was thrown away. */
  readonly caughtUp: () => void;
  readonly gone: () => void;
}

/** A part of what is sent whatever its length: another thread takes no less of it at once. */
const PART_BYTES = 65_536;

/**
 * The body of an answer that goes on. A reader who does not keep up is sent no more beyond a bound;
 * {@linkcode SinkOptions.caughtUp} is called once they have taken what they were sent.
 */
export class Sink {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly #options: SinkOptions;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  /** Of what was sent whatever its length, and is perhaps not taken yet. */
  #firstBytes = 0;
  /** The memory that {@linkcode #firstBytes} take. */
  #held: Disposable | null = null;
  #isBehind = false;
  #isEnded = false;

  /** Without `pull`, of which each call would leave a promise to whoever is sent something later. */
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

  /** Whether nothing is sent until the reader has caught up. */
  isBehind(): boolean {
    this.look();
    return this.#isBehind;
  }

  send(chunk: Uint8Array<ArrayBuffer>): void {
    if (this.#isEnded || this.isBehind()) return;
    const waiting = this.#waiting();
    if (waiting - this.#firstBytes + chunk.length > this.#options.bytesMax) {
      this.#isBehind = true;
    } else {
      this.#controller.enqueue(chunk);
    }
  }

  /**
   * However long it is; but while another such one is not taken, the reader is behind.
   *
   * @param held The memory that it takes, disposed of when it is taken.
   */
  sendFirst(chunk: Uint8Array<ArrayBuffer>, held: Disposable): void {
    const waiting = this.#isEnded ? 0 : this.#waiting();
    this.#isBehind = waiting > this.#options.bytesMax;
    if (this.#isEnded || this.#isBehind) return held[Symbol.dispose]();
    this.#release();
    this.#held = held;
    this.#firstBytes = waiting + chunk.length;
    for (let at = 0; at < chunk.length; at += PART_BYTES) {
      this.#controller.enqueue(chunk.slice(at, at + PART_BYTES));
    }
  }

  /** Whether the reader has taken all and so caught up: asked now and then, where nothing is sent. */
  look(): void {
    if (this.#isEnded || this.#waiting() > 0 || !this.#isBehind) return;
    this.#isBehind = false;
    this.#options.caughtUp();
  }

  /** Behind what waits. */
  end(last: Uint8Array<ArrayBuffer>): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#controller.enqueue(last);
    this.#controller.close();
    this.#release();
  }

  #release(): void {
    this.#firstBytes = 0;
    this.#held?.[Symbol.dispose]();
    this.#held = null;
  }

  /** Bytes that are not taken yet. */
  #waiting(): number {
    const waiting = this.#options.bytesMax - this.#controller.desiredSize!; // It is open.
    if (waiting === 0) this.#release();
    return waiting;
  }
}

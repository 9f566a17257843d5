/** Bytes that an open answer sends, as fast as its reader takes them. */

const encoder = new TextEncoder();

export const encoded = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

export interface SinkOptions {
  /** Bytes that may wait, beside what is sent by {@linkcode Sink.sendFirst}. */
  readonly bytesMax: number;
  /** The reader has taken all that waited, after some was thrown away. */
  readonly caughtUp: () => void;
  readonly gone: () => void;
}

/**
 * The body of an answer. What a reader who does not keep up has not taken is thrown away beyond a
 * bound, and they are told when they have caught up.
 */
export class Sink {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly #options: SinkOptions;
  #waiting: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;
  #isBehind = false;
  #isEnded = false;
  #more = Promise.withResolvers<void>();

  constructor(options: SinkOptions) {
    this.#options = options;
    this.body = new ReadableStream({
      pull: (controller) => this.#pull(controller),
      cancel: () => {
        this.#isEnded = true;
        this.#waiting = [];
        this.#more.resolve();
        options.gone();
      },
    }, { highWaterMark: 0 });
  }

  /** Whether what is sent is thrown away. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  send(chunk: Uint8Array<ArrayBuffer>): void {
    if (this.#isEnded || this.#isBehind) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#options.bytesMax) {
      this.#isBehind = true;
      this.#waiting = [];
      this.#bytes = 0;
    } else {
      this.#waiting.push(chunk);
    }
    this.#more.resolve();
  }

  /** In the place of all that waits, however long it is. */
  sendFirst(chunk: Uint8Array<ArrayBuffer>): void {
    if (this.#isEnded) return;
    this.#isBehind = false;
    this.#waiting = [chunk];
    this.#bytes = 0;
    this.#more.resolve();
  }

  /** Behind what waits. */
  end(last: Uint8Array<ArrayBuffer>): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#waiting.push(last);
    this.#more.resolve();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    while (this.#waiting.length === 0) {
      if (this.#isEnded) return controller.close();
      if (this.#isBehind) {
        this.#isBehind = false;
        this.#options.caughtUp();
      }
      this.#more = Promise.withResolvers();
      if (this.#waiting.length === 0) await this.#more.promise;
    }
    for (const chunk of this.#waiting) controller.enqueue(chunk);
    this.#waiting = [];
    this.#bytes = 0;
  }
}

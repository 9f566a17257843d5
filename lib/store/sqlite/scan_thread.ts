import { END, type ScanOrder, type ScanOutcome, type ScanStart, STOP } from "./scan_signals.ts";

/** One thread for reads that look at many rows, started when it is first needed unless sooner. */
export class ScanThread {
  readonly #givesWay: boolean;
  readonly #signals = new Int32Array(new SharedArrayBuffer(4));
  #worker: Worker | null = null;
  #answer: ((outcome: ScanOutcome) => void) | null = null;

  /** `givesWay`: whether it leaves the processors to the event loop where there are too few. */
  constructor({ givesWay }: Pick<ScanStart, "givesWay">) {
    this.#givesWay = givesWay;
  }

  /** One order at a time. */
  run(order: ScanOrder): Promise<ScanOutcome> {
    const answered = Promise.withResolvers<ScanOutcome>();
    this.#answer = answered.resolve;
    this.start().postMessage(order);
    return answered.promise;
  }

  /** Unless it is there. */
  start(): Worker {
    return this.#worker ??= this.#started();
  }

  /** The order ends within a few rows, and is answered as stopped. */
  stop(number: number): void {
    Atomics.store(this.#signals, STOP, number);
  }

  /** Ends an idle thread, once it has closed its files. */
  async end(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    this.#worker = null;
    const ended = Promise.withResolvers<void>();
    worker.onmessage = worker.onerror = () => ended.resolve();
    worker.postMessage(END);
    await ended.promise;
    worker.terminate();
  }

  #started(): Worker {
    const worker = new Worker(new URL("./scan_worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<ScanOutcome>) => this.#answer?.(data);
    worker.onerror = (event) => {
      event.preventDefault();
      worker.terminate();
      this.#worker = null;
      this.#answer?.({ kind: "failed", unavailable: true, message: event.message });
    };
    worker.postMessage({ signals: this.#signals, givesWay: this.#givesWay } satisfies ScanStart);
    return worker;
  }
}

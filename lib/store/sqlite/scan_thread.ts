import {
  END,
  type ScanOrder,
  type ScanOutcome,
  type ScanStart,
  STOP_INDEX,
} from "./scan_signals.ts";

/** A thread for reads that examine many rows, started on first use at the latest. */
export class ScanThread {
  readonly #isBackground: boolean;
  readonly #signals = new Int32Array(new SharedArrayBuffer(4));
  #worker: Worker | null = null;
  #resolve: ((outcome: ScanOutcome) => void) | null = null;

  constructor({ isBackground }: Pick<ScanStart, "isBackground">) {
    this.#isBackground = isBackground;
  }

  /** Runs a scan. Only one scan may run at a time. */
  run(order: ScanOrder): Promise<ScanOutcome> {
    const answered = Promise.withResolvers<ScanOutcome>();
    this.#resolve = answered.resolve;
    this.start().postMessage(order);
    return answered.promise;
  }

  start(): Worker {
    return this.#worker ??= this.#startWorker();
  }

  /** Stops the scan with a number within a few rows. Its outcome is `stopped`. */
  stop(number: number): void {
    Atomics.store(this.#signals, STOP_INDEX, number);
  }

  /** Ends an idle thread after it has closed its files. */
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

  #startWorker(): Worker {
    const worker = new Worker(new URL("./scan_worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<ScanOutcome>) => this.#resolve?.(data);
    worker.onerror = (event) => {
      event.preventDefault();
      worker.terminate();
      this.#worker = null;
      this.#resolve?.({ kind: "failed", unavailable: true, message: event.message });
    };
    worker.postMessage(
      { signals: this.#signals, isBackground: this.#isBackground } satisfies ScanStart,
    );
    return worker;
  }
}

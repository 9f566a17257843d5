import { checkpoint, type CheckpointOutcome, type CheckpointTask } from "./checkpoint.ts";

/**
 * Whether this is a worker thread. A worker that is started by another worker receives its first
 * message only after a second (Deno 2.9.6 on Linux; others take 15 ms). By then the log is full and
 * writers wait.
 */
const STARTS_SLOWLY = "WorkerGlobalScope" in globalThis;

/**
 * The thread that runs checkpoints, started on first use. If it starts slowly, it is started
 * immediately, and checkpoints run on the calling thread until it is ready.
 */
export class Checkpoints implements AsyncDisposable {
  #worker: Worker | null = null;
  /** Whether the worker receives messages without a delay. */
  #isReady = false;
  readonly #pending: PromiseWithResolvers<CheckpointOutcome>[] = [];
  #isClosed = false;

  constructor() {
    if (STARTS_SLOWLY) this.#startWorker();
  }

  /** Runs a checkpoint. Does nothing once the disposal has begun: the file may be gone. */
  run(task: CheckpointTask): Promise<CheckpointOutcome> {
    if (this.#isClosed) return Promise.resolve("left");
    const worker = this.#startWorker();
    if (!this.#isReady) return Promise.resolve(checkpoint(task));
    const result = Promise.withResolvers<CheckpointOutcome>();
    this.#pending.push(result);
    worker.postMessage(task);
    return result.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    while (this.#pending.length > 0) await this.#pending.at(-1)!.promise;
    this.#worker?.terminate();
    this.#worker = null;
  }

  #startWorker(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(new URL("./checkpoint_worker.ts", import.meta.url), {
      type: "module",
    });
    this.#isReady = !STARTS_SLOWLY;
    // The worker responds in the order of the tasks.
    worker.onmessage = ({ data }: MessageEvent<CheckpointOutcome | null>) => {
      if (data === null) this.#isReady = true;
      else this.#pending.shift()?.resolve(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.#worker = null;
      for (const result of this.#pending.splice(0)) result.resolve("left");
    };
    if (STARTS_SLOWLY) worker.postMessage(null);
    return this.#worker = worker;
  }
}

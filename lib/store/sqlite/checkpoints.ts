import { checkpoint, type CheckpointOutcome, type CheckpointTask } from "./checkpoint.ts";

/**
 * Whether another thread has started this one. A thread that such a one starts hears of its first
 * task after a second (Deno 2.9.6 on Linux, where others take 15 ms), and long before that the log
 * is full and writers wait.
 */
const COMES_LATE = "WorkerGlobalScope" in globalThis;

/**
 * The one thread that moves write-ahead logs into their files; started when it is first needed. One
 * that comes late is started at once, and what is asked for before it is there is done here.
 */
export class Checkpoints implements AsyncDisposable {
  #worker: Worker | null = null;
  /** Whether what is asked of the thread is heard at once. */
  #isThere = false;
  readonly #asked: PromiseWithResolvers<CheckpointOutcome>[] = [];
  #isClosed = false;

  constructor() {
    if (COMES_LATE) this.#started();
  }

  /**
   * Nothing is begun any more once this is being disposed: the file may be gone, and nobody would end
   * the thread.
   */
  run(task: CheckpointTask): Promise<CheckpointOutcome> {
    if (this.#isClosed) return Promise.resolve("left");
    const worker = this.#started();
    if (!this.#isThere) return Promise.resolve(checkpoint(task));
    const asked = Promise.withResolvers<CheckpointOutcome>();
    this.#asked.push(asked);
    worker.postMessage(task);
    return asked.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    while (this.#asked.length > 0) await this.#asked.at(-1)!.promise;
    this.#worker?.terminate();
    this.#worker = null;
  }

  #started(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(new URL("./checkpoint_worker.ts", import.meta.url), {
      type: "module",
    });
    this.#isThere = !COMES_LATE;
    // Answers come in the order of the questions.
    worker.onmessage = ({ data }: MessageEvent<CheckpointOutcome | null>) => {
      if (data === null) this.#isThere = true;
      else this.#asked.shift()?.resolve(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.#worker = null;
      for (const asked of this.#asked.splice(0)) asked.resolve("left");
    };
    if (COMES_LATE) worker.postMessage(null);
    return this.#worker = worker;
  }
}

import type { CheckpointOutcome, CheckpointTask } from "./checkpoint_worker.ts";

/** The one thread that moves write-ahead logs into their files; started when it is first needed. */
export class Checkpoints implements AsyncDisposable {
  #worker: Worker | null = null;
  readonly #asked: PromiseWithResolvers<boolean>[] = [];
  #isClosed = false;

  /**
   * Resolves to whether all was moved; what was not stays in the log, where it is as safe. Nothing is
   * begun any more once this is being disposed: the file may be gone, and nobody would end the thread.
   */
  run(task: CheckpointTask): Promise<boolean> {
    if (this.#isClosed) return Promise.resolve(false);
    const asked = Promise.withResolvers<boolean>();
    this.#asked.push(asked);
    this.#started().postMessage(task);
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
    // Answers come in the order of the questions.
    worker.onmessage = ({ data }: MessageEvent<CheckpointOutcome>) => {
      this.#asked.shift()?.resolve(data.done);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.#worker = null;
      for (const asked of this.#asked.splice(0)) asked.resolve(false);
    };
    return this.#worker = worker;
  }
}

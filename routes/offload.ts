import type { Environment } from "@/lib/runtime/config.ts";
import type { ProblemCode } from "@/lib/problems.ts";
import { StoreUnavailable } from "@/lib/store/errors.ts";
import type { Order, Report, RequestOrder } from "./offload_messages.ts";

/** Has requests answered by a second thread that would hold this one up, and so everybody else. */
export interface Offload extends AsyncDisposable {
  /**
   * Settles when the head of the answer is there; its body follows as it is read. Throws
   * `StoreUnavailable` where the thread cannot open the store.
   */
  answer(request: OffloadedRequest): Promise<OffloadedAnswer>;
}

export interface OffloadedRequest extends Omit<RequestOrder, "kind" | "number"> {
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal;
  /** Settles when the answer is sent, or cannot be. */
  readonly sent: Promise<void>;
}

export interface OffloadedAnswer {
  readonly response: Response;
  /** What it refuses the request with, for the log. */
  readonly problem: ProblemCode | null;
}

/** What a thread is started with. */
export interface ThreadOptions {
  /** What the configuration was read from, for the thread to read its own. */
  readonly environment: Environment;
  /** Prints whole lines. */
  readonly print: (text: string) => void;
  /** What runs in the thread; tests have some that fail. */
  readonly module?: URL;
}

export interface OffloadOptions extends ThreadOptions {
  readonly idleMs?: number;
}

const MODULE = new URL("./offload_worker.ts", import.meta.url);
/** It takes a third of a second to start, and some 60 MB as long as it is there. */
const IDLE_MS = 600_000;

/**
 * The thread is started with the first request and ended when it had none for `idleMs`. It has
 * services of its own, as another process would have them. One that fails is replaced.
 */
export function createOffload(
  { environment, print, idleMs = IDLE_MS, module = MODULE }: OffloadOptions,
): Offload {
  let thread: OffloadThread | null = null;
  /** Requests whose answers are not sent to their end. */
  let unsent = 0;
  let idle: ReturnType<typeof setTimeout> | undefined;
  const ending = new Set<Promise<void>>();

  function usable(): OffloadThread {
    if (thread?.isUsable) return thread;
    end();
    return thread = new OffloadThread(module, environment, print);
  }

  function end(): void {
    const stopped = thread?.stop();
    thread = null;
    if (stopped === undefined) return;
    ending.add(stopped);
    void stopped.then(() => ending.delete(stopped));
  }

  return {
    answer(request) {
      clearTimeout(idle);
      unsent++;
      const answered = usable().answer(request);
      void Promise.allSettled([answered, request.sent]).then(() => {
        if (--unsent === 0) idle = setTimeout(end, idleMs);
      });
      return answered;
    },
    async [Symbol.asyncDispose]() {
      end();
      await Promise.all(ending);
      clearTimeout(idle);
    },
  };
}

type Answered = PromiseWithResolvers<OffloadedAnswer>;

class OffloadThread {
  readonly #worker: Worker;
  readonly #answers = new Map<number, Answered>();
  readonly #stopped = Promise.withResolvers<void>();
  #requests = 0;
  #isUsable = true;

  constructor(module: URL, environment: Environment, print: (text: string) => void) {
    this.#worker = new Worker(module, { type: "module", name: "Long requests" });
    this.#worker.onmessage = ({ data: report }: MessageEvent<Report>) => {
      if (report.kind === "log") print(report.text);
      else this.#hear(report);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault(); // Else it would end this thread too.
      this.#fail(new Error(`The thread for long requests failed: ${event.message}`));
    };
    this.#tell({ kind: "open", environment });
  }

  get isUsable(): boolean {
    return this.#isUsable;
  }

  async answer({ gone, sent: _sent, ...request }: OffloadedRequest): Promise<OffloadedAnswer> {
    const number = this.#requests++;
    const answered: Answered = Promise.withResolvers();
    this.#answers.set(number, answered);
    const abort = () => this.#tell({ kind: "abort", number });
    gone.addEventListener("abort", abort);
    try {
      const { body } = request;
      this.#tell({ kind: "request", number, ...request }, body === null ? [] : [body]);
      return await answered.promise;
    } finally {
      this.#answers.delete(number);
      gone.removeEventListener("abort", abort);
    }
  }

  /** Lets it close its store. */
  async stop(): Promise<void> {
    if (this.#isUsable) this.#tell({ kind: "stop" });
    await this.#stopped.promise;
    this.#worker.terminate();
  }

  #tell(order: Order, transferred: readonly ReadableStream[] = []): void {
    this.#worker.postMessage(order, [...transferred]);
  }

  #hear(report: Exclude<Report, { kind: "log" }>): void {
    switch (report.kind) {
      case "answer": {
        const { number, status, body, problem } = report;
        const headers = report.headers.map(([name, value]): [string, string] => [name, value]);
        const response = new Response(body, { status, headers });
        return this.#answers.get(number)?.resolve({ response, problem });
      }
      case "failed":
        return this.#answers.get(report.number)?.reject(new Error(report.why));
      case "unusable":
        return this.#fail(new StoreUnavailable(report.why));
      case "stopped":
        return this.#stopped.resolve();
    }
  }

  #fail(error: Error): void {
    this.#isUsable = false;
    for (const { reject } of this.#answers.values()) reject(error);
    this.#stopped.resolve();
  }
}

import type { Environment } from "@/lib/runtime/settings.ts";
import type { ProblemCode } from "@/lib/problems.ts";
import { FairQueue } from "@/lib/store/fair_queue.ts";
import { StoreUnavailable } from "@/lib/store/errors.ts";
import type { OffloadOrder, OffloadReport, RequestOrder } from "./offload_messages.ts";

/** Has requests answered by a second thread that would hold this one up, and so everybody else. */
export interface Offload extends AsyncDisposable {
  /**
   * Settles when the head of the answer is there; its body follows as it is read. Throws
   * `StoreUnavailable` where the thread cannot open the store.
   */
  answer(request: OffloadedRequest): Promise<OffloadedAnswer>;
}

export interface OffloadedRequest extends Omit<RequestOrder, "kind" | "number"> {
  /** Whose turn it takes. */
  readonly share: string;
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal;
  /** Settles when the answer is sent, or cannot be. */
  readonly sent: Promise<void>;
  /** Called when its turn has come. Throws what it is refused with. */
  readonly admitted: () => void;
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
/** So that one that waits for the store leaves the thread to others. */
const AT_ONCE_MAX = 4;
/** Of one share: others find the thread free, or soon. */
const SHARE_AT_ONCE_MAX = 2;
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
  const limiter = new FairLimiter();

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
      const answered = limiter.run(request.share, () => {
        request.admitted();
        return usable().answer(request);
      });
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

/** Lets a few requests into the thread at once, each share's first before anybody's second. */
class FairLimiter {
  readonly #waiting = new FairQueue<{ readonly share: string; readonly admit: () => void }>();
  readonly #running = new Map<string, number>();
  #all = 0;

  async run<T>(share: string, work: () => Promise<T>): Promise<T> {
    const { promise: admitted, resolve: admit } = Promise.withResolvers<void>();
    this.#waiting.add(share, { share, admit });
    this.#next();
    await admitted;
    try {
      return await work();
    } finally {
      this.#count(share, -1);
      this.#next();
    }
  }

  #next(): void {
    while (this.#all < AT_ONCE_MAX) {
      const next = this.#waiting.next((whose) =>
        (this.#running.get(whose) ?? 0) < SHARE_AT_ONCE_MAX
      );
      if (next === undefined) return;
      this.#count(next.share, 1);
      next.admit();
    }
  }

  #count(share: string, change: number): void {
    this.#all += change;
    const running = (this.#running.get(share) ?? 0) + change;
    if (running === 0) this.#running.delete(share);
    else this.#running.set(share, running);
  }
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
    this.#worker.onmessage = ({ data: report }: MessageEvent<OffloadReport>) => {
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

  async answer(
    { gone, sent: _sent, share: _share, admitted: _admitted, ...request }: OffloadedRequest,
  ): Promise<OffloadedAnswer> {
    const number = this.#requests++;
    const answered: Answered = Promise.withResolvers();
    this.#answers.set(number, answered);
    const abort = () => this.#tell({ kind: "abort", number });
    gone.addEventListener("abort", abort);
    try {
      const buffers = request.body.map(({ buffer }) => buffer);
      this.#tell({ kind: "request", number, ...request }, [...new Set(buffers)]);
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

  #tell(order: OffloadOrder, transferred: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(order, [...transferred]);
  }

  #hear(report: Exclude<OffloadReport, { kind: "log" }>): void {
    switch (report.kind) {
      case "answer": {
        const { number, status, headers, body, problem } = report;
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

import { ConfigError } from "@/lib/runtime/config.ts";
import type { SharedCounts } from "@/lib/http/rate_limit.ts";
import type { Environment } from "@/lib/runtime/settings.ts";
import { SHUTDOWN_MS } from "@/lib/limits.ts";
import type { Services } from "@/lib/services.ts";
import { type Server, startServer, timeLimit } from "./server.ts";
import type { WorkerOrder, WorkerReport } from "./worker_messages.ts";

export interface WorkersOptions {
  /** Environment from which each thread reads its configuration. */
  readonly environment: Environment;
  /** Prints complete lines. */
  readonly print: (text: string) => void;
  /** Module of the additional threads. Tests pass modules that fail. */
  readonly module?: URL;
  /** Maximum number of open connections of all threads together. */
  readonly connections: number;
  readonly pingEveryMs?: number;
}

const MODULE = new URL("./worker.ts", import.meta.url);
const PING_EVERY_MS = 5000;
/** Maximum of unanswered pings. A time limit would fail after a machine was suspended. */
const UNANSWERED_MAX = 6;
/** Time to close the store after the last request. */
const CLOSE_MS = 1000;

/**
 * Serves from this thread and from others with their own services. Resolves when all listen;
 * rejects if one cannot. The threads share the port with any program that sets `reusePort`, so the
 * caller first checks that it is free. `finished` rejects if a thread fails or stops answering
 * pings. It is not replaced: the supervisor restarts the process. Throws {@linkcode ConfigError}
 * on systems that do not spread connections over listeners.
 */
export async function startWorkers(
  services: Services,
  { environment, print, connections, module = MODULE, pingEveryMs = PING_EVERY_MS }: WorkersOptions,
): Promise<Server> {
  const { config: { workers }, threadCounts } = services;
  if (Deno.build.os !== "linux") {
    throw new ConfigError([
      `WORKERS above 1 needs Linux, and this is ${Deno.build.os}: set it to 1`,
    ]);
  }
  const others = Array.from(
    { length: workers - 1 },
    (_, i) => startThread(`Worker ${i + 2}`, module, { print, threadCounts }),
  );
  let own: Server | null = null;
  let watch: ReturnType<typeof setInterval> | undefined;

  async function stop(): Promise<void> {
    clearInterval(watch);
    for (const { send } of others) send({ kind: "stop" });
    using late = timeLimit(SHUTDOWN_MS + CLOSE_MS);
    const ended = Promise.allSettled(others.map(({ ended }) => ended));
    await Promise.all([own?.stop(), Promise.race([ended, late.passed])]);
    for (const { terminate } of others) terminate();
  }

  try {
    const connectionsMax = Math.ceil(connections / workers);
    for (const { send } of others) send({ kind: "serve", environment, connectionsMax });
    await Promise.all(others.map(({ listening }) => listening));
    own = startServer(services, { shared: true, connectionsMax });
    watch = setInterval(() => others.forEach(({ ping }) => ping()), pingEveryMs);
    const ended = [own.finished, ...others.map(({ ended }) => ended)];
    return { ...own, finished: Promise.all(ended).then(() => {}), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Thread {
  /** Resolves when the thread listens. Rejects, as `ended` does, when the thread fails. */
  readonly listening: Promise<void>;
  readonly ended: Promise<void>;
  send(order: WorkerOrder): void;
  /** Sends a ping. Fails the thread if {@linkcode UNANSWERED_MAX} pings are unanswered. */
  ping(): void;
  terminate(): void;
}

interface ThreadContext {
  print(text: string): void;
  readonly threadCounts: SharedCounts;
}

function startThread(name: string, module: URL, { print, threadCounts }: ThreadContext): Thread {
  const listening = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const fail = (why: string) => {
    const error = new Error(`${name} failed: ${why}`);
    listening.reject(error);
    ended.reject(error);
  };
  // Not every caller awaits both promises.
  listening.promise.catch(() => {});
  ended.promise.catch(() => {});

  const worker = new Worker(module, { type: "module", name });
  let unanswered = 0;
  worker.onmessage = ({ data: report }: MessageEvent<WorkerReport>) => {
    switch (report.kind) {
      case "listening":
        return listening.resolve();
      case "alive":
        return void (unanswered = 0);
      case "log":
        return print(report.text);
      case "counted": {
        const { number, key, endsAt, count } = report;
        return void threadCounts.add(key, endsAt, count)
          .then((sum) => send({ kind: "sum", number, sum }));
      }
      case "stopped":
        return ended.resolve();
      case "failed":
        return fail(report.reason);
    }
  };
  worker.onerror = (event) => {
    event.preventDefault(); // Otherwise the error would end the process.
    fail(event.message);
  };
  const send = (order: WorkerOrder) => worker.postMessage(order);
  return {
    listening: listening.promise,
    ended: ended.promise,
    send: send,
    ping() {
      // A thread that has closed itself or blocks its event loop does not report that.
      if (unanswered === UNANSWERED_MAX) fail(`it left ${unanswered} pings unanswered`);
      unanswered++;
      send({ kind: "ping" });
    },
    terminate: () => worker.terminate(),
  };
}

import { ConfigError } from "@/lib/runtime/config.ts";
import type { SharedCounts } from "@/lib/http/rate_limit.ts";
import type { Environment } from "@/lib/runtime/settings.ts";
import { SHUTDOWN_MS } from "@/lib/limits.ts";
import type { Services } from "@/lib/services.ts";
import { type Server, startServer, timeLimit } from "./server.ts";
import type { WorkerOrder, WorkerReport } from "./worker_messages.ts";

export interface WorkersOptions {
  /** What the configuration was read from: each thread reads its own. */
  readonly environment: Environment;
  /** Prints whole lines. */
  readonly print: (text: string) => void;
  /** What runs in each other thread; tests have some that fail. */
  readonly module?: URL;
  /** Connections that all threads together may have open at once. */
  readonly connections: number;
  readonly pingEveryMs?: number;
}

const MODULE = new URL("./worker.ts", import.meta.url);
const PING_EVERY_MS = 5000;
/** Counted, not timed: a machine that slept wakes up with all its threads. */
const UNANSWERED_MAX = 6;
/** To close the store, behind what was in flight. */
const CLOSE_MS = 1000;

/**
 * Serves from as many threads as are configured: from this one, and from others with services of
 * their own, as a process of its own would have them. Resolves when all listen; rejects when one
 * cannot. They share the port with whoever is willing to: whether it is free has been looked at
 * before.
 *
 * `finished` rejects when another thread fails or answers no longer. None is replaced: what made it
 * fail is unknown, and whoever restarts this process begins with a whole one, as with a single thread.
 *
 * Throws {@linkcode ConfigError} on systems that do not spread connections over listeners.
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
    for (const { tell } of others) tell({ kind: "stop" });
    using late = timeLimit(SHUTDOWN_MS + CLOSE_MS);
    const ended = Promise.allSettled(others.map(({ ended }) => ended));
    await Promise.all([own?.stop(), Promise.race([ended, late.passed])]);
    for (const { terminate } of others) terminate();
  }

  try {
    const connectionsMax = Math.ceil(connections / workers);
    for (const { tell } of others) tell({ kind: "serve", environment, connectionsMax });
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
  /** Rejects, as `ended` does, when the thread fails. */
  readonly listening: Promise<void>;
  readonly ended: Promise<void>;
  tell(order: WorkerOrder): void;
  /** Asks for a sign of life; one too many in vain is a failure. */
  ping(): void;
  terminate(): void;
}

interface Around {
  print(text: string): void;
  readonly threadCounts: SharedCounts;
}

function startThread(name: string, module: URL, { print, threadCounts }: Around): Thread {
  const listening = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const fail = (why: string) => {
    const error = new Error(`${name} failed: ${why}`);
    listening.reject(error);
    ended.reject(error);
  };
  // Both are awaited by some and not by others.
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
          .then((sum) => tell({ kind: "sum", number, sum }));
      }
      case "stopped":
        return ended.resolve();
      case "failed":
        return fail(report.why);
    }
  };
  worker.onerror = (event) => {
    event.preventDefault(); // Else it would end this thread too, and what the others have in flight.
    fail(event.message);
  };
  const tell = (order: WorkerOrder) => worker.postMessage(order);
  return {
    listening: listening.promise,
    ended: ended.promise,
    tell,
    ping() {
      // A thread that closed itself, or never returns to its event loop, says nothing of it.
      if (unanswered === UNANSWERED_MAX) fail(`it left ${unanswered} pings unanswered`);
      unanswered++;
      tell({ kind: "ping" });
    },
    terminate: () => worker.terminate(),
  };
}

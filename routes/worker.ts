/** Entry point of an additional serving thread, which messages start and stop. */
import { loadConfig } from "@/lib/runtime/config.ts";
import { createLog } from "@/lib/runtime/log.ts";
import type { SharedCounts } from "@/lib/http/rate_limit.ts";
import { openServices } from "@/lib/services.ts";
import { serverIdentity } from "./listening.ts";
import { startServer } from "./server.ts";
import type { WorkerOrder, WorkerScope } from "./worker_messages.ts";

const scope = globalThis as unknown as WorkerScope;

type ServeOrder = Extract<WorkerOrder, { readonly kind: "serve" }>;

const stop = Promise.withResolvers<void>();
/** Callbacks that receive a sum, by the number of the report. */
const waiting = new Map<number, (sum: number) => void>();
let reports = 0;

scope.onmessage = ({ data: order }) => {
  switch (order.kind) {
    case "serve":
      return void run(order);
    case "ping":
      return scope.postMessage({ kind: "alive" });
    case "sum":
      waiting.get(order.number)?.(order.sum);
      return void waiting.delete(order.number);
    case "stop":
      return stop.resolve();
  }
};

async function run(order: ServeOrder): Promise<void> {
  try {
    await serveUntilStopped(order);
    scope.postMessage({ kind: "stopped" });
  } catch (error) {
    scope.postMessage({ kind: "failed", reason: (error as Error).message });
  }
  scope.close();
}

async function serveUntilStopped({ environment, connectionsMax }: ServeOrder): Promise<void> {
  const config = loadConfig(environment);
  const print = (text: string) => scope.postMessage({ kind: "log", text });
  using log = createLog(config.logLevel, print);
  await using services = await openServices(config, { log, threadCounts, scansAhead: true });
  services.jobRunner.serveAt(serverIdentity(config));
  const server = startServer(services, { shared: true, connectionsMax });
  scope.postMessage({ kind: "listening" });
  await stop.promise;
  await Promise.all([server.stop(), services.jobRunner.stop()]);
}

/** Counts of all threads, which the main thread adds up. */
const threadCounts: SharedCounts = {
  add(key, endsAt, count) {
    const number = reports++;
    const { promise, resolve } = Promise.withResolvers<number>();
    waiting.set(number, resolve);
    scope.postMessage({ kind: "counted", number, key, endsAt, count });
    return promise;
  },
};

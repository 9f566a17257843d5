/** One of several threads that serve: told by messages when to begin and when to stop. */
import { type Environment, loadConfig } from "@/lib/config.ts";
import { createLog } from "@/lib/http/log.ts";
import type { RateLimiter, RateShare } from "@/lib/http/rate_limit.ts";
import { openServices } from "@/lib/services.ts";
import { startServer } from "./server.ts";
import type { WorkerScope } from "./worker_messages.ts";

const TELL_EVERY_MS = 250;

const scope = globalThis as unknown as WorkerScope;

const stop = Promise.withResolvers<void>();
let share: RateShare | null = null;

scope.onmessage = ({ data: order }) => {
  switch (order.kind) {
    case "serve":
      return void run(order.environment);
    case "ping":
      return scope.postMessage({ kind: "alive" });
    case "counted":
      return share?.add(order.counted);
    case "stop":
      return stop.resolve();
  }
};

async function run(environment: Environment): Promise<void> {
  try {
    await serveUntilTold(environment);
    scope.postMessage({ kind: "stopped" });
  } catch (error) {
    scope.postMessage({ kind: "failed", why: (error as Error).message });
  }
  scope.close();
}

async function serveUntilTold(environment: Environment): Promise<void> {
  const config = loadConfig(environment);
  using log = createLog(config.logLevel, (text) => scope.postMessage({ kind: "log", text }));
  await using services = await openServices(config, { log });
  using _telling = tellCounts(services.rateLimiter);
  const server = startServer(services, { shared: true });
  const { hostname, port } = server;
  scope.postMessage({ kind: "listening", hostname, port });
  await stop.promise;
  await server.stop();
}

/** A limit holds for all threads together, but for what they count between two tellings. */
function tellCounts(rateLimiter: RateLimiter): Disposable {
  const own = share = rateLimiter.share();
  const timer = setInterval(() => {
    const counted = own.take();
    if (counted.length > 0) scope.postMessage({ kind: "counted", counted });
  }, TELL_EVERY_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

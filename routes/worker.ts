/** One of several threads that serve: told by messages when to begin and when to stop. */
import { type Environment, loadConfig } from "@/lib/config.ts";
import { createLog } from "@/lib/http/log.ts";
import { openServices } from "@/lib/services.ts";
import { startServer } from "./server.ts";

/** What a worker is told. */
export type Order =
  | { readonly kind: "serve"; readonly environment: Environment }
  | { readonly kind: "ping" }
  | { readonly kind: "stop" };

/** What a worker tells. */
export type Report =
  | { readonly kind: "listening"; readonly hostname: string; readonly port: number }
  | { readonly kind: "alive" }
  /** Whole lines. One thread prints those of all, so that none is torn. */
  | { readonly kind: "log"; readonly text: string }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly why: string };

interface Scope {
  onmessage: ((event: MessageEvent<Order>) => void) | null;
  postMessage(report: Report): void;
  close(): void;
}

/** The global scope of a worker, for which the checker of types has no name here. */
const scope = globalThis as unknown as Scope;

const stop = Promise.withResolvers<void>();

scope.onmessage = ({ data: order }) => {
  switch (order.kind) {
    case "serve":
      return void run(order.environment);
    case "ping":
      return scope.postMessage({ kind: "alive" });
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
  const server = startServer(services, { shared: true });
  const { hostname, port } = server;
  scope.postMessage({ kind: "listening", hostname, port });
  await stop.promise;
  await server.stop();
}

import { SHUTDOWN_MS } from "@/lib/limits.ts";
import type { Services } from "@/lib/services.ts";
import { createApp } from "./app.ts";
import { serveConnections } from "./connections.ts";
import { listening } from "./listening.ts";
import { createOffload, type OffloadOptions } from "./offload.ts";

/** For another thread to close its store, behind what was in flight. */
const CLOSE_MS = 1_000;

/** What accepts connections. */
export interface Server {
  readonly hostname: string;
  readonly port: number;
  /** Rejects when it can serve no longer. */
  readonly finished: Promise<void>;
  /** Takes no more requests and finishes what is in flight, for {@linkcode SHUTDOWN_MS} at most. */
  stop(): Promise<void>;
}

export interface ListenOptions extends OffloadOptions {
  /** Whether other threads of this process listen on the same port. */
  readonly shared: boolean;
  /** Connections that this thread may have open at once. */
  readonly connectionsMax: number;
}

/** Serves from this thread. Throws where the address cannot be had, and says which it was. */
export function startServer(
  services: Services,
  { shared, connectionsMax, ...options }: ListenOptions,
): Server {
  const { config: { host: hostname, port }, requestDrain, liveLists } = services;
  const { connectionShortage: shortage } = services;
  const offload = createOffload(options);
  const app = createApp(services, { offload });
  const listener = listening(
    services.config,
    () => Deno.listen({ hostname, port, reusePort: shared }),
  );
  const connections = serveConnections(listener, app.fetch, { max: connectionsMax, shortage });
  return {
    hostname: listener.addr.hostname,
    port: listener.addr.port,
    finished: connections.finished,
    async stop() {
      using late = timeLimit(SHUTDOWN_MS);
      liveLists.stop();
      // Deno's shutdown would cut off bodies that are still being read, so they end first.
      await Promise.race([requestDrain.drain(), late.passed]);
      await Promise.race([connections.shutdown(), late.passed]);
      // What was in flight there is given up by now; its store is still to be closed.
      using closing = timeLimit(CLOSE_MS);
      await Promise.race([offload[Symbol.asyncDispose](), closing.passed]);
    },
  };
}

export interface TimeLimit extends Disposable {
  readonly passed: Promise<void>;
}

export function timeLimit(ms: number): TimeLimit {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  return { passed: promise, [Symbol.dispose]: () => clearTimeout(timer) };
}

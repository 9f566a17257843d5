import { SHUTDOWN_MS } from "@/lib/limits.ts";
import type { Connection } from "@/lib/http/request.ts";
import type { Services } from "@/lib/services.ts";
import { type App, createApp } from "./app.ts";
import { type Fetch, serveConnections } from "./connections.ts";
import { listening } from "./listening.ts";

/** What accepts connections. */
export interface Server {
  readonly hostname: string;
  readonly port: number;
  /** Rejects when it can serve no longer. */
  readonly finished: Promise<void>;
  /** Takes no more requests and finishes what is in flight, for {@linkcode SHUTDOWN_MS} at most. */
  stop(): Promise<void>;
}

export interface ListenOptions {
  /** Whether other threads of this process listen on the same port. */
  readonly shared: boolean;
  /** Connections that this thread may have open at once. */
  readonly connectionsMax: number;
}

/** Serves from this thread. Throws where the address cannot be had, and says which it was. */
export function startServer(
  services: Services,
  { shared, connectionsMax }: ListenOptions,
): Server {
  const { config: { host: hostname, port }, requestDrain, liveLists } = services;
  const { connectionShortage: shortage } = services;
  const app = createApp(services);
  const listener = listening(
    services.config,
    () => Deno.listen({ hostname, port, reusePort: shared }),
  );
  const fetch: Fetch = (request, info) =>
    request.method === "HEAD" ? answerHead(app, request, info) : app.fetch(request, info);
  const connections = serveConnections(listener, fetch, { max: connectionsMax, shortage });
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
    },
  };
}

/**
 * Answers a HEAD. Deno takes an answer without a body for one of 0 bytes, so an answer whose length
 * is not known has a body that is empty and not sent.
 */
async function answerHead(
  app: App,
  request: Request,
  info: Connection,
): Promise<Response> {
  const response = await app.fetch(request, info);
  const isUnknown = response.ok && response.status !== 204 &&
    !response.headers.has("content-length");
  return isUnknown ? new Response(new Blob([]).stream(), response) : response;
}

export interface TimeLimit extends Disposable {
  readonly passed: Promise<void>;
}

export function timeLimit(ms: number): TimeLimit {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  return { passed: promise, [Symbol.dispose]: () => clearTimeout(timer) };
}

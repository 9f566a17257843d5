import { SHUTDOWN_MS } from "@/lib/limits.ts";
import type { Connection } from "@/lib/http/request.ts";
import type { Services } from "@/lib/services.ts";
import { type App, createApp } from "./app.ts";
import { type Fetch, serveConnections } from "./connections.ts";
import { listenOrExplain } from "./listening.ts";

export interface Server {
  readonly hostname: string;
  readonly port: number;
  /** Rejects when the server cannot continue. */
  readonly finished: Promise<void>;
  /** Refuses new requests and finishes those in flight, for at most {@linkcode SHUTDOWN_MS}. */
  stop(): Promise<void>;
}

export interface ListenOptions {
  /** Whether other threads of this process listen on the same port. */
  readonly shared: boolean;
  readonly connectionsMax: number;
}

/** Serves from this thread. Throws an error that names the address if it cannot be used. */
export function startServer(
  services: Services,
  { shared, connectionsMax }: ListenOptions,
): Server {
  const { config: { host: hostname, port }, requestDrain, liveLists } = services;
  const { connectionShortage: shortage } = services;
  const app = createApp(services);
  const listener = listenOrExplain(
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
      // Deno's shutdown would abort bodies that are still being read, so they end first.
      await Promise.race([requestDrain.drain(), late.passed]);
      await Promise.race([connections.shutdown(), late.passed]);
    },
  };
}

/** Answers HEAD. Deno sends `content-length: 0` without a body, so unknown lengths get a stream. */
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

import type { Connection } from "@/lib/http/request.ts";
import type { ConnectionShortage } from "@/lib/runtime/connection_shortage.ts";
import { FIRST_REQUEST_MS, IDLE_CONNECTION_MS } from "@/lib/limits.ts";

/** Answers one request. Never rejects. */
export type Fetch = (request: Request, connection: Connection) => Response | Promise<Response>;

export interface ConnectionOptions {
  readonly max: number;
  readonly shortage: ConnectionShortage;
  /** Milliseconds after which a connection without any request is closed. */
  readonly firstRequestMs?: number;
  /** Milliseconds after its last response when an idle connection is closed. */
  readonly idleMs?: number;
}

export interface Connections {
  /** Resolves after a shutdown; rejects if no more connections can be accepted. */
  readonly finished: Promise<void>;
  /** Stops accepting connections and resolves when all requests in flight are answered. */
  shutdown(): Promise<void>;
}

interface OpenConnection {
  readonly server: Deno.HttpServer;
  readonly abort: () => void;
  /** Number of requests whose responses are not completely sent. */
  requestsInFlight: number;
  hasAsked: boolean;
  /** Time since when no request is in flight, `performance.now()` milliseconds. */
  idleSince: number;
  /** Time when a closing connection is aborted, `performance.now()` milliseconds. */
  abortAt: number;
}

const CHECK_EVERY_MS = 1_000;
/** Pause between two attempts to close idle connections or to accept one. */
const RETRY_MS = 20;
/** Time for which a closing connection may send its last response. */
const END_MS = 5_000;
/** Share of connections that is closed at the limit, so that not every new one closes one. */
const CLOSED_SHARE = 1 / 16;

/** Serves HTTP. `Deno.serve` never closes idle connections, and stops if one is not accepted. */
export function serveConnections(
  listener: Deno.TcpListener,
  fetch: Fetch,
  { max, shortage, firstRequestMs = FIRST_REQUEST_MS, idleMs = IDLE_CONNECTION_MS }:
    ConnectionOptions,
): Connections {
  const open = new Set<OpenConnection>();
  let isStopped = false;
  const timer = setInterval(closeExpired, CHECK_EVERY_MS);

  async function accept(): Promise<void> {
    while (!isStopped) {
      let accepted: Deno.TcpConn;
      try {
        accepted = await listener.accept();
      } catch {
        if (isStopped) return;
        // Descriptors or memory may be available again later.
        makeRoom();
        await pause(RETRY_MS);
        continue;
      }
      while (open.size >= max && !isStopped) {
        makeRoom();
        await pause(RETRY_MS);
      }
      serve(accepted);
    }
  }

  /** Closes the connections that have been idle for the longest time. */
  function makeRoom(): void {
    const idle = [...open].filter(isIdle).sort((one, other) => one.idleSince - other.idleSince);
    const closed = idle.slice(0, Math.ceil(open.size * CLOSED_SHARE));
    closed.forEach(closeIdle);
    shortage.note(closed.length);
  }

  function serve(accepted: Deno.TcpConn): void {
    const { remoteAddr } = accepted;
    const controller = new AbortController();
    const abort = () => controller.abort();
    const handle = (request: Request, { completed }: Deno.ServeHandlerInfo<Deno.NetAddr>) => {
      connection.requestsInFlight++;
      connection.hasAsked = true;
      completed.then(isSent, isSent);
      return fetch(request, { remoteAddr, completed, abort });
    };
    const isSent = () => {
      if (--connection.requestsInFlight > 0) return;
      connection.idleSince = performance.now();
      if (isStopped) closeIdle(connection);
    };
    let server: Deno.HttpServer;
    try {
      server = serveHttpOnConnection(accepted, controller.signal, handle, internalError, () => {});
    } catch {
      return; // The client has already closed the connection.
    }
    const connection: OpenConnection = {
      server,
      abort,
      requestsInFlight: 0,
      hasAsked: false,
      idleSince: performance.now(),
      abortAt: Infinity,
    };
    open.add(connection);
    const ended = () => void open.delete(connection);
    server.finished.then(ended, ended);
  }

  function closeExpired(): void {
    const now = performance.now();
    for (const connection of open) {
      const { hasAsked, idleSince, abortAt } = connection;
      if (abortAt <= now) connection.abort();
      const endsAt = idleSince + (hasAsked ? idleMs : firstRequestMs);
      if (isIdle(connection) && endsAt <= now) closeIdle(connection);
    }
  }

  return {
    finished: accept(),
    async shutdown() {
      isStopped = true;
      listener.close();
      const ended = [...open].map(({ server: { finished } }) => finished.catch(() => {}));
      // Deno's shutdown would abort requests in flight.
      [...open].filter(isIdle).forEach(closeIdle);
      await Promise.all(ended);
      clearInterval(timer);
    },
  };
}

const isIdle = ({ requestsInFlight: underWay, abortAt }: OpenConnection): boolean =>
  underWay === 0 && abortAt === Infinity;

/** Closes an idle connection after its last response is sent. */
function closeIdle(connection: OpenConnection): void {
  // Deno's shutdown would wait for the first request.
  if (!connection.hasAsked) return connection.abort();
  connection.abortAt = performance.now() + END_MS;
  connection.server.shutdown().catch(() => {}); // The client aborted the connection.
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const internalError = () => new Response("Internal Server Error", { status: 500 });

interface Internals {
  serveHttpOnConnection(
    connection: Deno.TcpConn,
    signal: AbortSignal,
    handler: (
      request: Request,
      info: Deno.ServeHandlerInfo<Deno.NetAddr>,
    ) => Response | Promise<Response>,
    onError: (error: unknown) => Response,
    onListen: () => void,
  ): Deno.HttpServer;
}

/** Undocumented function of the pinned Deno. Tests fail for a version without it. */
const { serveHttpOnConnection } = (Deno as unknown as Record<symbol, Internals>)[
  (Deno as unknown as { readonly internal: symbol }).internal
]!;

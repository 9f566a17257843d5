import type { Connection } from "@/lib/http/request.ts";
import type { ConnectionShortage } from "@/lib/runtime/connection_shortage.ts";
import { FIRST_REQUEST_MS, IDLE_CONNECTION_MS } from "@/lib/limits.ts";

/** Answers one request; never rejects. */
export type Fetch = (request: Request, connection: Connection) => Response | Promise<Response>;

export interface ConnectionOptions {
  /** Connections that may be open at once. */
  readonly max: number;
  readonly shortage: ConnectionShortage;
  /** Milliseconds after which a connection is closed that has not asked for anything. */
  readonly firstRequestMs?: number;
  /** Milliseconds after its last answer. */
  readonly idleMs?: number;
}

/** What accepts connections until it is stopped. */
export interface Connections {
  /** Resolves when no more are accepted; rejects when no more can be. */
  readonly finished: Promise<void>;
  /** Accepts no more, and resolves when every request that has begun is answered. */
  shutdown(): Promise<void>;
}

interface OpenConnection {
  readonly server: Deno.HttpServer;
  /** Closes it at once. */
  readonly abort: () => void;
  /** Requests whose answers are not sent. */
  underWay: number;
  hasAsked: boolean;
  /** Since when no request is under way, by the clock that is never set back. */
  idleSince: number;
  /** When it is aborted, if it does not end by itself before that. */
  abortAt: number;
}

const LOOK_EVERY_MS = 1_000;
/** Between two looks for room, or after a connection that could not be accepted. */
const RETRY_MS = 20;
/** A connection that ends has this long to send what was answered before. */
const END_MS = 5_000;
/** The part of all connections that is closed at once for lack of room, so that it is not looked for with each one. */
const CLOSED_PART = 1 / 16;

/**
 * Serves HTTP on a listener. `Deno.serve` ends for good when one connection cannot be accepted, as
 * where the process has no descriptor left, and it never closes an idle connection; so connections
 * are accepted here, and Deno's server is given one at a time.
 */
export function serveConnections(
  listener: Deno.TcpListener,
  fetch: Fetch,
  { max, shortage, firstRequestMs = FIRST_REQUEST_MS, idleMs = IDLE_CONNECTION_MS }:
    ConnectionOptions,
): Connections {
  const open = new Set<OpenConnection>();
  let isStopped = false;
  const timer = setInterval(look, LOOK_EVERY_MS);

  async function accept(): Promise<void> {
    while (!isStopped) {
      let accepted: Deno.TcpConn;
      try {
        accepted = await listener.accept();
      } catch {
        if (isStopped) return;
        // Without a descriptor, or without memory for it, the next one may be accepted later.
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

  /** Closes those that have been idle for the longest time. */
  function makeRoom(): void {
    const idle = [...open].filter(isIdle).sort((one, other) => one.idleSince - other.idleSince);
    const closed = idle.slice(0, Math.ceil(open.size * CLOSED_PART));
    closed.forEach(end);
    shortage.note(closed.length);
  }

  function serve(accepted: Deno.TcpConn): void {
    const { remoteAddr } = accepted;
    const controller = new AbortController();
    const abort = () => controller.abort();
    const handle = (request: Request, { completed }: Deno.ServeHandlerInfo<Deno.NetAddr>) => {
      connection.underWay++;
      connection.hasAsked = true;
      completed.then(isSent, isSent);
      return fetch(request, { remoteAddr, completed, abort });
    };
    const isSent = () => {
      if (--connection.underWay > 0) return;
      connection.idleSince = performance.now();
      if (isStopped) end(connection);
    };
    let server: Deno.HttpServer;
    try {
      server = serveHttpOnConnection(accepted, controller.signal, handle, failed, () => {});
    } catch {
      return; // The other end has closed it already.
    }
    const connection: OpenConnection = {
      server,
      abort,
      underWay: 0,
      hasAsked: false,
      idleSince: performance.now(),
      abortAt: Infinity,
    };
    open.add(connection);
    const ended = () => void open.delete(connection);
    server.finished.then(ended, ended);
  }

  function look(): void {
    const now = performance.now();
    for (const connection of open) {
      const { hasAsked, idleSince, abortAt } = connection;
      if (abortAt <= now) connection.abort();
      const endsAt = idleSince + (hasAsked ? idleMs : firstRequestMs);
      if (isIdle(connection) && endsAt <= now) end(connection);
    }
  }

  return {
    finished: accept(),
    async shutdown() {
      isStopped = true;
      listener.close();
      const ended = [...open].map(({ server: { finished } }) => finished.catch(() => {}));
      // Deno's shutdown would cut off requests that are under way.
      [...open].filter(isIdle).forEach(end);
      await Promise.all(ended);
      clearInterval(timer);
    },
  };
}

const isIdle = ({ underWay, abortAt }: OpenConnection): boolean =>
  underWay === 0 && abortAt === Infinity;

/** Closes an idle connection when all that was answered is sent. */
function end(connection: OpenConnection): void {
  // Deno waits for the first request even then.
  if (!connection.hasAsked) return connection.abort();
  connection.abortAt = performance.now() + END_MS;
  connection.server.shutdown().catch(() => {}); // It was broken off.
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const failed = () => new Response("Internal Server Error", { status: 500 });

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

/** Not documented by Deno, whose version is fixed: the tests of serving fail where it is missing. */
const { serveHttpOnConnection } = (Deno as unknown as Record<symbol, Internals>)[
  (Deno as unknown as { readonly internal: symbol }).internal
]!;

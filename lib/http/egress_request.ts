import http from "node:http";
import https from "node:https";
import { Readable } from "node:stream";
import { type Egress, EgressFailed } from "./egress.ts";
import { type ReadFailed, readWhole } from "./bounded_reader.ts";

export interface EgressRequest {
  readonly method: "GET" | "HEAD" | "OPTIONS" | "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** For all of it; {@linkcode EGRESS_REQUEST_MS} if left out. */
  readonly withinMs?: number;
}

export interface EgressAnswer {
  readonly status: number;
  /** Null for a header that was not sent. */
  header(name: string): string | null;
  readonly body: Uint8Array;
}

const EGRESS_REQUEST_MS = 5_000;
const ANSWER_BYTES_MAX = 65_536;

/**
 * One request without credentials, through the guard; where a redirect points is not asked. Throws
 * `EgressFailed`.
 */
export function egressRequest(
  { agents }: Pick<Egress, "agents">,
  url: URL,
  { method, headers, body, withinMs = EGRESS_REQUEST_MS }: EgressRequest,
): Promise<EgressAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<EgressAnswer>();
  const options = { method, headers: { ...headers, "user-agent": "Corbel" } };
  const request = url.protocol === "https:"
    ? https.request(url, { ...options, agent: agents.httpsAgent })
    : http.request(url, { ...options, agent: agents.httpAgent });
  const late = () => new EgressFailed(`no answer within ${withinMs} ms`);
  const began = performance.now();
  const timer = setTimeout(() => request.destroy(late()), withinMs);
  request.on("error", (error) => {
    reject(error instanceof EgressFailed ? error : unreachable(error));
  });
  request.on("response", (response) => {
    clearTimeout(timer);
    const wholeMs = Math.max(0, withinMs - (performance.now() - began));
    readWhole(bytesOf(response), { bytesMax: ANSWER_BYTES_MAX, wholeMs }).then(
      (body) =>
        resolve({
          status: response.statusCode!,
          header: (name) => response.headers[name]?.toString() ?? null,
          body,
        }),
      ({ failure }: ReadFailed) =>
        reject(failure === "late" ? late() : new EgressFailed(`the answer ${BROKEN[failure]}`)),
    );
  });
  request.end(body);
  return promise.finally(() => clearTimeout(timer));
}

const BROKEN = { "too long": "is too long", "broken off": "broke off" } as const;

/** What the types of Node's streams leave open: without an encoding they bring bytes. */
const bytesOf = (response: http.IncomingMessage) =>
  Readable.toWeb(response) as ReadableStream<Uint8Array<ArrayBuffer>>;

/** Messages of the system have addresses in them. */
function unreachable(cause: Error & { code?: string }): EgressFailed {
  return new EgressFailed(`cannot be reached (${cause.code ?? cause.name})`, { cause });
}

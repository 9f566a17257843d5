import http from "node:http";
import https from "node:https";
import { Readable } from "node:stream";
import { type Egress, EgressFailed } from "./egress.ts";
import { readAllBytes, type ReadFailed } from "./bounded_reader.ts";

export interface EgressRequest {
  readonly method: "GET" | "HEAD" | "OPTIONS" | "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Milliseconds for the request and its answer; {@linkcode EGRESS_REQUEST_MS} by default. */
  readonly withinMs?: number;
}

export interface EgressAnswer {
  readonly status: number;
  /** Returns a header; null if it was not sent. */
  header(name: string): string | null;
  readonly body: Uint8Array;
}

const EGRESS_REQUEST_MS = 5_000;
const ANSWER_BYTES_MAX = 65_536;

/** Sends a request through the egress guard without following redirects. Throws `EgressFailed`. */
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
    reject(error instanceof EgressFailed ? error : unreachableError(error));
  });
  request.on("response", (response) => {
    clearTimeout(timer);
    const totalMs = Math.max(0, withinMs - (performance.now() - began));
    readAllBytes(toByteStream(response), { bytesMax: ANSWER_BYTES_MAX, totalMs }).then(
      (body) =>
        resolve({
          status: response.statusCode!,
          header: (name) => response.headers[name]?.toString() ?? null,
          body,
        }),
      ({ failure }: ReadFailed) =>
        reject(
          failure === "late" ? late() : new EgressFailed(`the answer ${FAILURE_TEXTS[failure]}`),
        ),
    );
  });
  request.end(body);
  return promise.finally(() => clearTimeout(timer));
}

const FAILURE_TEXTS = { "too long": "is too long", "broken off": "broke off" } as const;

/** Converts a response. Without an encoding it streams bytes, which Node's types do not say. */
const toByteStream = (response: http.IncomingMessage) =>
  Readable.toWeb(response) as ReadableStream<Uint8Array<ArrayBuffer>>;

/** Returns an error with the system's code only, because its messages contain addresses. */
function unreachableError(cause: Error & { code?: string }): EgressFailed {
  return new EgressFailed(`cannot be reached (${cause.code ?? cause.name})`, { cause });
}

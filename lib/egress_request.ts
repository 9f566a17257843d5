import { Buffer } from "node:buffer";
import http from "node:http";
import https from "node:https";
import { type Egress, EgressFailed } from "./egress.ts";

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

export const EGRESS_REQUEST_MS = 5_000;
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
  const timer = setTimeout(
    () => request.destroy(new EgressFailed(`no answer within ${withinMs} ms`)),
    withinMs,
  );
  const fail = (error: Error) => reject(error instanceof EgressFailed ? error : failure(error));
  request.on("error", fail);
  request.on("response", (response) => {
    const chunks: Buffer[] = [];
    let length = 0;
    response.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > ANSWER_BYTES_MAX) request.destroy(new EgressFailed("the answer is too long"));
      else chunks.push(chunk);
    });
    response.on("error", fail);
    response.on("close", () => fail(new EgressFailed("the answer broke off")));
    response.on("end", () =>
      resolve({
        status: response.statusCode!,
        header: (name) => response.headers[name]?.toString() ?? null,
        body: Buffer.concat(chunks),
      }));
  });
  request.end(body);
  return promise.finally(() => clearTimeout(timer));
}

/** Messages of the system have addresses in them. */
function failure(cause: Error & { code?: string }): EgressFailed {
  return new EgressFailed(`cannot be reached (${cause.code ?? cause.name})`, { cause });
}

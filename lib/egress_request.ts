import { Buffer } from "node:buffer";
import http from "node:http";
import https from "node:https";
import type { Egress } from "./egress.ts";

export interface EgressRequest {
  readonly method: "GET" | "HEAD" | "OPTIONS" | "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
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
 * `EgressRefused`, or an error whose message says what failed.
 */
export function egressRequest(
  { agents }: Pick<Egress, "agents">,
  url: URL,
  { method, headers, body }: EgressRequest,
): Promise<EgressAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<EgressAnswer>();
  const options = { method, headers: { ...headers, "user-agent": "Corbel" } };
  const request = url.protocol === "https:"
    ? https.request(url, { ...options, agent: agents.httpsAgent })
    : http.request(url, { ...options, agent: agents.httpAgent });
  const timer = setTimeout(
    () => request.destroy(new Error(`no answer within ${EGRESS_REQUEST_MS / 1000} seconds`)),
    EGRESS_REQUEST_MS,
  );
  request.on("error", reject);
  request.on("response", (response) => {
    const chunks: Buffer[] = [];
    let length = 0;
    response.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > ANSWER_BYTES_MAX) request.destroy(new Error("the answer is too long"));
      else chunks.push(chunk);
    });
    response.on("error", reject);
    response.on("close", () => reject(new Error("the answer broke off")));
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

import { Buffer } from "node:buffer";
import http from "node:http";
import https from "node:https";
import { type Egress, EgressFailed } from "../../http/egress.ts";
import { WEBHOOK_ANSWER_BYTES, WEBHOOK_TIMEOUT_MS } from "../../limits.ts";

export interface PostedMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PostAnswer {
  readonly status: number;
  /** Its beginning, as text. */
  readonly text: string;
}

/**
 * Sends a message through the guard, and reads the beginning of what comes back: however long or
 * slow the rest is, the connection is closed then. Where a redirect points is not asked. Throws
 * `EgressFailed`.
 */
export function postMessage(
  { agents }: Pick<Egress, "agents">,
  url: URL,
  { headers, body, withinMs = WEBHOOK_TIMEOUT_MS }: PostedMessage & { readonly withinMs?: number },
): Promise<PostAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<PostAnswer>();
  const bytes = Buffer.from(body);
  const options = {
    method: "POST",
    headers: {
      ...headers,
      "content-type": "application/json",
      "content-length": String(bytes.length),
      "user-agent": "Corbel",
    },
  };
  const request = url.protocol === "https:"
    ? https.request(url, { ...options, agent: agents.httpsAgent })
    : http.request(url, { ...options, agent: agents.httpAgent });
  let finish = () => reject(new EgressFailed(`no answer within ${withinMs} ms`));
  const timer = setTimeout(() => {
    finish();
    request.destroy();
  }, withinMs);
  request.on("error", (error) => {
    // Once there is a status, what breaks off behind it changes nothing.
    reject(error instanceof EgressFailed ? error : unreachable(error));
  });
  request.on("response", (response) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    finish = () => {
      resolve({ status: response.statusCode!, text: beginningOf(chunks) });
      request.destroy();
    };
    response.on("data", (chunk: Uint8Array) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= WEBHOOK_ANSWER_BYTES) finish();
    });
    for (const event of ["end", "close", "error"]) response.on(event, () => finish());
  });
  request.end(bytes);
  return promise.finally(() => clearTimeout(timer));
}

/** A character that is cut in two is left out; NUL cannot be stored. */
function beginningOf(chunks: readonly Uint8Array[]): string {
  const bytes = Buffer.concat(chunks).subarray(0, WEBHOOK_ANSWER_BYTES);
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll("\0", "\uFFFD");
}

/** Messages of the system have addresses in them. */
const unreachable = (cause: Error & { code?: string }): EgressFailed =>
  new EgressFailed(`cannot be reached (${cause.code ?? cause.name})`, { cause });

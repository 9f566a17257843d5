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
  /** The beginning of the response body. */
  readonly text: string;
}

/** Reads the beginning of the response. Does not follow redirects. Throws `EgressFailed`. */
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
    // Has no effect once a status has arrived and the promise is resolved.
    reject(error instanceof EgressFailed ? error : unreachableError(error));
  });
  request.on("response", (response) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    finish = () => {
      resolve({ status: response.statusCode!, text: decodeBeginning(chunks) });
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

/** Decodes text without a cut character at its end. Replaces NUL, which cannot be stored. */
function decodeBeginning(chunks: readonly Uint8Array[]): string {
  const bytes = Buffer.concat(chunks).subarray(0, WEBHOOK_ANSWER_BYTES);
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll("\0", "\uFFFD");
}

/** Returns an error with the system's code only, because its messages contain addresses. */
const unreachableError = (cause: Error & { code?: string }): EgressFailed =>
  new EgressFailed(`cannot be reached (${cause.code ?? cause.name})`, { cause });

import http from "node:http";
import https from "node:https";
import type { EgressAgents } from "../http/egress.ts";
import { UPLOAD_STALL_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import { BlobsUnavailable } from "./blobs.ts";

export interface OutgoingUpload {
  /** Signed for exactly this upload. */
  readonly url: URL;
  readonly contentType: string;
  readonly bytes: number;
  /** Guarded ones for the address of a project's own store. */
  readonly agents?: EgressAgents;
}

/**
 * Puts bytes to a signed address as they come, no faster than the store takes them. Throws
 * `UPLOAD_TOO_SHORT` and `UPLOAD_TOO_LONG`, after which the store has nothing of it, and
 * `BlobsUnavailable`.
 */
export async function sendUpload(
  { url, contentType, bytes, agents }: OutgoingUpload,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const headers = {
    "content-type": contentType,
    "content-length": bytes,
    "user-agent": "Corbel",
  };
  const request = url.protocol === "https:"
    ? https.request(url, { method: "PUT", headers, agent: agents?.httpsAgent })
    : http.request(url, { method: "PUT", headers, agent: agents?.httpAgent });
  const answer = answerOf(request);
  try {
    let sent = 0;
    for await (const chunk of chunks) {
      sent += chunk.length;
      if (sent > bytes) throw new Problem("UPLOAD_TOO_LONG");
      // Its memory is used again.
      if (!request.write(chunk.slice())) await Promise.race([drained(request), answer.status]);
      if (answer.hasCome()) break;
    }
    if (sent < bytes && !answer.hasCome()) throw new Problem("UPLOAD_TOO_SHORT");
    request.end();
    const status = await answer.status;
    if (status < 200 || status > 299) {
      throw new BlobsUnavailable(`The store answered ${status} to an upload`);
    }
  } finally {
    request.destroy();
  }
}

/** A store may refuse before it has everything. */
function answerOf(request: http.ClientRequest) {
  let hasCome = false;
  const { promise: status, resolve, reject } = Promise.withResolvers<number>();
  status.catch(() => {}); // Whoever gave up before does not wait for it.
  const fail = (cause: Error & { code?: string }) =>
    reject(
      cause instanceof BlobsUnavailable
        ? cause
        : new BlobsUnavailable(`The store took no upload (${cause.code ?? cause.name})`, { cause }),
    );
  request.setTimeout(UPLOAD_STALL_MS, () => {
    request.destroy(new BlobsUnavailable(`The store took nothing for ${UPLOAD_STALL_MS} ms`));
  });
  request.on("error", fail);
  request.on("close", () => fail(new BlobsUnavailable("The store broke off an upload")));
  request.on("response", (response) => {
    hasCome = true;
    response.on("error", fail);
    response.resume();
    resolve(response.statusCode!);
  });
  return { status, hasCome: () => hasCome };
}

const drained = (request: http.ClientRequest): Promise<void> =>
  new Promise((resolve) => request.once("drain", resolve));

import http from "node:http";
import https from "node:https";
import type { EgressAgents } from "../http/egress.ts";
import { UPLOAD_STALL_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import { BlobsUnavailable } from "./blobs.ts";

export interface OutgoingUpload {
  readonly url: URL;
  readonly contentType: string;
  readonly bytes: number;
  /** Guarded agents for a project's own store. */
  readonly agents?: EgressAgents;
}

/** Throws `UPLOAD_TOO_SHORT` and `UPLOAD_TOO_LONG`, storing nothing, and `BlobsUnavailable`. */
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
  const response = watchResponse(request);
  try {
    let sent = 0;
    for await (const chunk of chunks) {
      sent += chunk.length;
      if (sent > bytes) throw new Problem("UPLOAD_TOO_LONG");
      // A copy is sent, because the memory of the chunk is reused.
      if (!request.write(chunk.slice())) await Promise.race([drain(request), response.status]);
      if (response.hasArrived()) break;
    }
    if (sent < bytes && !response.hasArrived()) throw new Problem("UPLOAD_TOO_SHORT");
    request.end();
    const status = await response.status;
    if (status < 200 || status > 299) {
      throw new BlobsUnavailable(`The store answered ${status} to an upload`);
    }
  } finally {
    request.destroy();
  }
}

/** Watches for the response, which may arrive before all bytes are sent. */
function watchResponse(request: http.ClientRequest) {
  let hasArrived = false;
  const { promise: status, resolve, reject } = Promise.withResolvers<number>();
  status.catch(() => {}); // The caller may have failed before it awaits the status.
  const fail = (cause: Error & { code?: string }) =>
    reject(
      cause instanceof BlobsUnavailable
        ? cause
        : new BlobsUnavailable(`The upload failed (${cause.code ?? cause.name})`, { cause }),
    );
  request.setTimeout(UPLOAD_STALL_MS, () => {
    request.destroy(new BlobsUnavailable(`The store accepted no bytes for ${UPLOAD_STALL_MS} ms`));
  });
  request.on("error", fail);
  request.on("close", () => fail(new BlobsUnavailable("The store closed the connection")));
  request.on("response", (message) => {
    hasArrived = true;
    message.on("error", fail);
    message.resume();
    resolve(message.statusCode!);
  });
  return { status, hasArrived: () => hasArrived };
}

const drain = (request: http.ClientRequest): Promise<void> =>
  new Promise((resolve) => request.once("drain", resolve));

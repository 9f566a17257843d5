import { bytesOf, exceedsBytes } from "@/lib/store/json_text.ts";
import type { RequestState } from "@/lib/http/request.ts";
import { bodyStream, type Reply } from "@/lib/http/respond.ts";
import type { Services } from "@/lib/services.ts";

type DeliveryServices = Pick<Services, "responseStreams" | "requestShares">;

/** Bytes that Deno's server buffers and reports as sent. A stream only slows shorter responses. */
const SENT_AT_ONCE_MAX = 409_600;

/** Streams a long response, which counts towards the caller's share. Throws `SERVER_BUSY`. */
export function deliverReply(
  { responseStreams, requestShares }: DeliveryServices,
  state: RequestState,
  reply: Reply,
): Reply {
  const { body, headers = [] } = reply;
  const { recipient } = state;
  if (recipient === null || body === null || state.raw.method === "HEAD") return reply;
  if (body instanceof ReadableStream) {
    // The request is in flight until the last byte is sent.
    if (!reply.isOpenEnded) requestShares.track(state.shareHolder, recipient.sent);
    return { ...reply, body: responseStreams.send(body, recipient, 0) };
  }
  const isText = typeof body === "string";
  const isLong = isText ? exceedsBytes(body, SENT_AT_ONCE_MAX) : body.length > SENT_AT_ONCE_MAX;
  if (!isLong) return reply;
  const bytes = isText ? bytesOf(body) : body.length;
  const stream = responseStreams.send(bodyStream(body), recipient, bytes);
  requestShares.track(state.shareHolder, recipient.sent);
  return { ...reply, body: stream, headers: [...headers, ["content-length", String(bytes)]] };
}

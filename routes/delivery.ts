import { bytesOf, exceedsBytes } from "@/lib/store/json_text.ts";
import type { RequestState } from "@/lib/http/request.ts";
import { inSlices, type Reply } from "@/lib/http/respond.ts";
import type { Services } from "@/lib/services.ts";

type DeliveryServices = Pick<Services, "deliveries" | "requestShares">;

/**
 * Bytes of the largest answer that is sent as it is. Deno's server buffers about as much of any
 * answer and then reports it as sent, so a stream would only make such an answer slower.
 */
const SENT_AT_ONCE_MAX = 409_600;

/**
 * Makes a stream of a longer answer, so that its memory counts towards its caller's share until it
 * is sent. Throws `SERVER_BUSY`.
 */
export function deliverReply(
  { deliveries, requestShares }: DeliveryServices,
  state: RequestState,
  reply: Reply,
): Reply {
  const { body, headers = [] } = reply;
  const { recipient } = state;
  if (recipient === null || body === null || state.raw.method === "HEAD") return reply;
  if (body instanceof ReadableStream) {
    // It is under way until its last byte is sent.
    if (!reply.isOpenEnded) requestShares.count(state.share, recipient.sent);
    return { ...reply, body: deliveries.deliver(body, recipient, 0) };
  }
  const isText = typeof body === "string";
  const isLong = isText ? exceedsBytes(body, SENT_AT_ONCE_MAX) : body.length > SENT_AT_ONCE_MAX;
  if (!isLong) return reply;
  const bytes = isText ? bytesOf(body) : body.length;
  const stream = deliveries.deliver(inSlices(body), recipient, bytes);
  requestShares.count(state.share, recipient.sent);
  return { ...reply, body: stream, headers: [...headers, ["content-length", String(bytes)]] };
}

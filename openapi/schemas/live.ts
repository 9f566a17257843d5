import { z } from "@hono/zod-openapi";
import { LIVE_TICKET_SECONDS, QUERY_LENGTH_MAX } from "@/lib/limits.ts";
import { bodyOf } from "../inputs.ts";
import { DOCUMENT_EXAMPLE } from "./document.ts";

const EVENT_ID = "0000000000000042.dGhpcyBpcyBhIHNpZ25hdHVyZQ";

export const LIVE_EXAMPLE = `id: ${EVENT_ID}
event: list
data: {"items":[],"total":0,"page":1,"nextCursor":null,"prevCursor":null,"limit":100}

id: ${EVENT_ID}
event: change
data: ${
  JSON.stringify({
    action: "added",
    id: DOCUMENT_EXAMPLE._id,
    document: DOCUMENT_EXAMPLE,
    total: 1,
  })
}

`;

export const LiveEvents = z.string().openapi("LiveEvents", {
  description:
    "Server-sent events. `list`: the list. `change`: `{ action, id, document, total }`, where " +
    "`action` is `added`, `changed` or `removed`. `removed` has no document. `total` is left out " +
    "if the list has none or it is not known yet; in the second case the change is sent again " +
    "with it. `reset`: your copy may be wrong; the next event is a new `list`. `unauthorized`: " +
    "`{ code, message }`, after which the stream ends. Lines that begin with a colon are comments, " +
    "sent at least every 15 seconds. A server that has to stop sends one as its last line.",
});

const QUERY_ERROR = `"query" must be text of up to ${QUERY_LENGTH_MAX} characters.`;
const EVENT_ERROR = '"lastEventId" must be text: the id of an event.';

export const LiveTicketInput = bodyOf({
  query: z.string({ error: QUERY_ERROR }).max(QUERY_LENGTH_MAX, { error: QUERY_ERROR }).default("")
    .openapi({
      description: "The query of the list, as after a question mark.",
      example: "status=published",
    }),
  lastEventId: z.string({ error: EVENT_ERROR }).max(200, { error: EVENT_ERROR }).optional()
    .openapi({
      description: "The id of the last event that you received, from which the list continues. A " +
        "new `EventSource` cannot send it as a header.",
    }),
}).openapi("LiveTicketInput", {
  description: "The list to open.",
  example: { query: "status=published" },
});

export const LIVE_TICKET_EXAMPLE = {
  url: "http://localhost:8000/api/data/posts/live?ticket=66f1a0c2e4b0a1b2c3d4e5f6.x.y",
  expiresIn: LIVE_TICKET_SECONDS,
};

export const LiveTicket = z.strictObject({
  url: z.string().openapi({ description: "The address to open. It works once." }),
  expiresIn: z.number().int().openapi({ description: "Seconds until the address expires." }),
}).openapi("LiveTicket", { description: "The address of a live list." });

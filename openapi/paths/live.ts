import { LIVE_STREAMS_MAX, LIVE_STREAMS_SHARE_MAX, LIVE_TICKET_SECONDS } from "@/lib/limits.ts";
import { createdAnswer } from "../answers.ts";
import { contract } from "../contract.ts";
import { collectionName, lastEventId, liveListParameters } from "../parameters.ts";
import {
  LIVE_EXAMPLE,
  LIVE_TICKET_EXAMPLE,
  LiveEvents,
  LiveTicket,
  LiveTicketInput,
} from "../schemas/live.ts";
import { liveListener, projectKey } from "../security.ts";

const TAG = "Live lists";

/** Problems of the query or the caller, before the stream begins. */
const QUERY_PROBLEMS = [
  "INVALID_QUERY",
  "UNKNOWN_OPERATOR",
  "SEARCH_NOT_DECLARED",
  "ACCESS_TOKEN_REQUIRED",
  "COLLECTION_NOT_FOUND",
  "EVENTS_OFF",
] as const;

export const listenToDocuments = contract({
  operationId: "listenToDocuments",
  tag: TAG,
  method: "get",
  path: "/api/data/{collectionName}/live",
  summary: "Listen to a list and every change of it that the caller may see",
  description: "Sends the list, then each change. The query's filter and the caller's rules are " +
    "applied before and after a change: a document that begins to match is `added`, one that no " +
    "longer matches is `removed`. Changes of one document are sent in the order of their " +
    "commits, each at least once. With the id of the last event (`Last-Event-ID`), a list " +
    "continues after it, for 24 hours. If that is not possible, if a reader is 1 MiB behind, or " +
    "if the collection's definition changes, a `reset` and a new list are sent. If the key is " +
    "rotated, the token expires or its session ends, `unauthorized` is sent within five seconds, " +
    "and the stream ends.\n\n" +
    `A user, or an address with a key, can have ${LIVE_STREAMS_SHARE_MAX} lists open at a ` +
    `server, a project ${LIVE_STREAMS_MAX}.`,
  security: liveListener,
  params: { collectionName },
  parameters: liveListParameters,
  headers: { "last-event-id": lastEventId },
  success: [{
    status: 200,
    description: "Events, until the caller disconnects.",
    data: null,
    content: { type: "text/event-stream", schema: LiveEvents, example: LIVE_EXAMPLE },
  }],
  problems: [...QUERY_PROBLEMS, "ANSWER_TOO_LARGE", "QUERY_TOO_SLOW", "TOO_MANY_STREAMS"],
});

export const createLiveTicket = contract({
  operationId: "createLiveTicket",
  tag: TAG,
  method: "post",
  path: "/api/data/{collectionName}/live",
  summary: "Get an address for EventSource, which sends no headers",
  description: "The address opens the live list as this caller, once and within " +
    `${LIVE_TICKET_SECONDS} seconds. Keep it secret until then: pages of other origins are ` +
    "refused, but programs, which send no `Origin`, are not. A browser that loses the connection " +
    "needs a new ticket with the id of the last event.",
  security: projectKey,
  params: { collectionName },
  body: {
    schema: LiveTicketInput,
    example: { query: "status=published" },
    description: "The list to open.",
  },
  success: createdAnswer("Ticket created", "The address.", {
    data: LiveTicket,
    example: LIVE_TICKET_EXAMPLE,
  }),
  problems: QUERY_PROBLEMS,
});

export const LIVE = { listenToDocuments, createLiveTicket };

import { LIVE_STREAMS_MAX, LIVE_STREAMS_SHARE_MAX, LIVE_TICKET_SECONDS } from "@/lib/limits.ts";
import { created } from "../answers.ts";
import { contract } from "../contract.ts";
import { collectionName, lastEventId, liveListing } from "../parameters.ts";
import {
  LIVE_EXAMPLE,
  LIVE_TICKET_EXAMPLE,
  LiveEvents,
  LiveTicket,
  LiveTicketInput,
} from "../schemas/live.ts";
import { liveListener, projectKey } from "../security.ts";

const TAG = "Live lists";

/** What is wrong with a query or its caller, before anything is sent. */
const REFUSED = [
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
  description:
    "First the list, then each change, as seen through the query's filter and the caller's rules " +
    "before and after it: a document that comes to match is `added`, one that does no longer is " +
    "`removed`. Changes of one document come in the order of their commits, each at least once, none " +
    "left out; with the id of the last event (`Last-Event-ID`) one goes on behind it, for 24 hours. " +
    "Where that cannot be, where a reader is 1 MiB behind, and when the collection's definition " +
    "changes, there is a `reset` and a new list. When the key is rotated, the token expires or its " +
    "session ends, there is an `unauthorized` within five seconds, and the end.\n\n" +
    `A user, or an address with a key, may have ${LIVE_STREAMS_SHARE_MAX} lists open at a server, ` +
    `a project ${LIVE_STREAMS_MAX}.`,
  security: liveListener,
  params: { collectionName },
  parameters: liveListing,
  headers: { "last-event-id": lastEventId },
  success: [{
    status: 200,
    description: "Events, for as long as the caller reads.",
    data: null,
    content: { type: "text/event-stream", schema: LiveEvents, example: LIVE_EXAMPLE },
  }],
  problems: [...REFUSED, "ANSWER_TOO_LARGE", "QUERY_TOO_SLOW", "TOO_MANY_STREAMS"],
});

export const createLiveTicket = contract({
  operationId: "createLiveTicket",
  tag: TAG,
  method: "post",
  path: "/api/data/{collectionName}/live",
  summary: "Get an address for EventSource, which sends no headers",
  description:
    `The address opens the live list as this caller, once and within ${LIVE_TICKET_SECONDS} ` +
    "seconds. Pages of other origins than the one that asked are refused; a program, which sends " +
    "no `Origin`, is not: it is a secret until then. A browser that loses the connection cannot " +
    "open it again: get a new ticket with the id of the last event.",
  security: projectKey,
  params: { collectionName },
  body: {
    schema: LiveTicketInput,
    example: { query: "status=published" },
    description: "What is to be listened to.",
  },
  success: created("Ticket created", "The address.", {
    data: LiveTicket,
    example: LIVE_TICKET_EXAMPLE,
  }),
  problems: REFUSED,
});

export const LIVE = { listenToDocuments, createLiveTicket };

import { LIVE_STREAMS_MAX, LIVE_STREAMS_SHARE_MAX, LIVE_TICKET_SECONDS } from "../limits.ts";

/** What only events refuse for; part of the one catalogue. */
export const EVENT_PROBLEMS = {
  TICKET_INVALID: {
    status: 401,
    message: "The ticket is not valid: ask for a new one.",
    when: `The ticket is unknown, used, older than ${LIVE_TICKET_SECONDS} seconds, of another ` +
      "collection, or comes from another page than the one that asked for it.",
    remedy: "Ask for a new ticket right before each connection, and use its address once, " +
      "from the same page.",
  },
  EVENTS_OFF: {
    status: 409,
    message: "The collection records no changes: set events: true in its definition.",
    when: "The collection's definition has `events: false`.",
    remedy: "Set `events: true` in the collection's definition. Changes are recorded from " +
      "then on.",
  },
  TOO_MANY_STREAMS: {
    status: 429,
    message: "Too many live lists are open: close some.",
    when: `A user, or an address with a key, has ${LIVE_STREAMS_SHARE_MAX} live lists open, or a ` +
      `project ${LIVE_STREAMS_MAX}, at one server.`,
    remedy: "Close live lists that nobody looks at, and share one between the parts of a " +
      "page.",
  },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    message: "The project has no such webhook.",
    when: "The webhook does not exist, or is deleted.",
    remedy: "List the project's webhooks, and use the id of one of them.",
  },
  WEBHOOK_OFF: {
    status: 409,
    message: "The webhook is off: switch it on first.",
    when: "A message is to be sent again to a webhook that is off.",
    remedy: "Enable the webhook by `PATCH`, after its address answers again.",
  },
  DELIVERY_NOT_FOUND: {
    status: 404,
    message: "The webhook has no such message, or not any more.",
    when: "The message is unknown, or older than 7 days.",
    remedy: "List the webhook's deliveries, and use the id of one of them.",
  },
} as const;

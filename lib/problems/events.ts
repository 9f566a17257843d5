import { LIVE_STREAMS_MAX, LIVE_STREAMS_SHARE_MAX, LIVE_TICKET_SECONDS } from "../limits.ts";

/** What only events refuse for; part of the one catalogue. */
export const EVENT_PROBLEMS = {
  TICKET_INVALID: {
    status: 401,
    message: "The ticket is not valid: ask for a new one.",
    when: `The ticket is unknown, used, older than ${LIVE_TICKET_SECONDS} seconds, of another ` +
      "collection, or comes from another page than the one that asked for it.",
  },
  EVENTS_OFF: {
    status: 409,
    message: "The collection records no changes: set events: true in its definition.",
    when: "The collection's definition has `events: false`.",
  },
  TOO_MANY_STREAMS: {
    status: 429,
    message: "Too many live lists are open: close some.",
    when: `A user, or an address with a key, has ${LIVE_STREAMS_SHARE_MAX} live lists open, or a ` +
      `project ${LIVE_STREAMS_MAX}, at one server.`,
  },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    message: "The project has no such webhook.",
    when: "The webhook does not exist, or is deleted.",
  },
  WEBHOOK_OFF: {
    status: 409,
    message: "The webhook is off: switch it on first.",
    when: "A message is to be sent again to a webhook that is off.",
  },
  DELIVERY_NOT_FOUND: {
    status: 404,
    message: "The webhook has no such message, or not any more.",
    when: "The message is unknown, or older than 7 days.",
  },
} as const;

import { LIVE_STREAMS_MAX, LIVE_STREAMS_SHARE_MAX, LIVE_TICKET_SECONDS } from "../limits.ts";

/** Problems of live lists and webhooks, part of `PROBLEMS`. */
export const EVENT_PROBLEMS = {
  TICKET_INVALID: {
    status: 401,
    message: "The ticket is not valid: ask for a new one.",
    when: `The ticket is unknown, used, older than ${LIVE_TICKET_SECONDS} seconds, of another ` +
      "collection, or was requested by another page.",
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
    when:
      `A user, or an address with a key, has ${LIVE_STREAMS_SHARE_MAX} live lists open at one ` +
      `server, or a project has ${LIVE_STREAMS_MAX}.`,
    remedy: "Close live lists that are not visible, and share one between the parts of a page.",
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
    when: "A message to a webhook that is off was to be sent again.",
    remedy: "Enable the webhook by `PATCH` as soon as its URL answers again.",
  },
  DELIVERY_NOT_FOUND: {
    status: 404,
    message: "The webhook has no such message, or no longer has it.",
    when: "The message is unknown, or older than 7 days.",
    remedy: "List the webhook's deliveries, and use the id of one of them.",
  },
} as const;

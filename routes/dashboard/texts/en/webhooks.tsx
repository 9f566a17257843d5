import type { DeliveryState, EventName } from "@/lib/events/webhooks/records.ts";
import { countText } from "../amounts.ts";

const events: Readonly<Record<EventName, string>> = {
  created: "created",
  changed: "changed",
  deleted: "deleted",
  recovered: "recovered",
  signedIn: "signed in the first time",
};

const states: Readonly<Record<DeliveryState, string>> = {
  queued: "queued",
  delivered: "delivered",
  failed: "failed",
};

export const webhooks = {
  title: "Webhooks",
  events,
  states,
  list: {
    about: "Addresses of yours that are notified of changes in this project.",
    none: "No webhook so far.",
    create: "New webhook",
    /** Name of the items in page links, in the plural. */
    pages: "webhooks",
    name: "Name",
    state: "State",
    eventsOf: "Events of",
    on: "on",
    off: "off",
    done: { deleted: "The webhook is deleted." },
  },
  form: {
    name: "Name",
    address: "Address",
    enabled: "Messages are sent",
    create: "Create webhook",
    save: "Save webhook",
  },
  created: {
    secret: "Secret",
    once: "Messages are signed with it. It is shown this once.",
    goOn: "Go on to the webhook",
  },
  webhook: {
    notifications: "Notifications",
    address: "Address",
    messages: "Messages",
    sent: "are sent",
    notSent: "are not sent",
    switchedOff: (reason: string) => `The webhook was switched off. ${reason}`,
    test: "Send a test",
    tested: (status: number, ms: number, answer: string) =>
      `It answered ${status} after ${countText(ms)} ms: ${answer}`,
    noAnswer: (error: string) => `No answer: ${error}.`,
    rotate: "Rotate the secret",
    rotateLoss: (hours: number) =>
      `For ${hours} hours messages are signed with both. A secret before the present one ` +
      "stops working at once.",
    delete: "Delete",
    deleteLoss: "What waits for it is not sent any more. Its secret and its messages are gone.",
    deleteNow: "Delete the webhook",
    done: {
      saved: "The webhook is saved.",
      again: "The message is on its way again.",
      since: "The messages are on their way again.",
    },
    /** One of `done`, too, where there are more than one request sends. */
    someAgain: (count: number) =>
      `${count} messages are on their way again. There are more: send those since the time ` +
      "below, too.",
  },
  messages: {
    title: "Messages",
    about: (days: number) => `Those of the last ${days} days.`,
    none: "No message so far.",
    /** Name of the items in page links, in the plural. */
    pages: "messages",
    since: "Send all again since",
    sendAll: "Send all again",
    message: "Message",
    state: "State",
    when: "When",
    answered: (status: number) => `answered ${status}`,
  },
  message: {
    all: "All messages of the webhook",
    state: "State",
    tried: "Tried",
    times: (count: number) => count === 1 ? "1 time" : `${countText(count)} times`,
    answered: "Answered",
    answeredAfter: (status: number, ms: number) => `${status} after ${countText(ms)} ms`,
    notYet: "not yet",
    written: "Written",
    nextTry: "Next try",
    request: "Request",
    noBody: "What was sent is not kept any more, so it cannot be sent again.",
    timestamp: "the second of each try",
    signature: "of all three: id, timestamp and body",
    answer: "Answer",
    noAnswer: "None.",
    sendAgain: "Send again",
  },
};

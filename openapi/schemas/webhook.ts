import { z } from "@hono/zod-openapi";
import { DECLARED_NAME } from "@/lib/documents/names.ts";
import {
  COLLECTION_EVENTS,
  USER_EVENTS,
  USERS_NAME,
  type WebhookEvents,
} from "@/lib/events/webhooks/records.ts";
import { WEBHOOK_ANSWER_BYTES, WEBHOOK_EVENTS_MAX, WEBHOOK_OVERLAP_HOURS } from "@/lib/limits.ts";
import { bodyOf, singleLine } from "../inputs.ts";
import { EXAMPLE_ID, id, pageOf, time } from "./values.ts";

const NAME_LENGTH_MAX = 100;
const URL_LENGTH_MAX = 2048;

const NAME = `"name" must be one line of 1 to ${NAME_LENGTH_MAX} characters.`;
const URL_TEXT = `"url" must be an address of up to ${URL_LENGTH_MAX} characters.`;
const EVENTS = `"events" must name 1 to ${WEBHOOK_EVENTS_MAX} collections, each with some of ` +
  `${COLLECTION_EVENTS.join(", ")}; for "${USERS_NAME}" some of ${USER_EVENTS.join(", ")}.`;
const ENABLED = '"enabled" must be true or false.';

const known = (name: string): readonly string[] =>
  name === USERS_NAME ? USER_EVENTS : COLLECTION_EVENTS;

const isEvents = (events: Readonly<Record<string, readonly string[]>>): boolean => {
  const entries = Object.entries(events);
  return entries.length >= 1 && entries.length <= WEBHOOK_EVENTS_MAX &&
    entries.every(([name, eventNames]) =>
      eventNames.length > 0 && new Set(eventNames).size === eventNames.length &&
      eventNames.every((event) => known(name).includes(event))
    );
};

const event = z.enum([...new Set([...COLLECTION_EVENTS, ...USER_EVENTS])], { error: EVENTS });
const eventsRecord = z.record(
  z.string().regex(DECLARED_NAME, EVENTS),
  z.array(event, { error: EVENTS }),
  { error: EVENTS },
);

const someOf = (events: readonly string[]) => ({
  type: "array" as const,
  items: { type: "string" as const, enum: [...events] },
  minItems: 1,
  uniqueItems: true,
});

/** A keyword of OpenAPI 3.1 that the types lack. */
const NAMED = { propertyNames: { pattern: DECLARED_NAME.source } } as object;

const events = eventsRecord.refine(isEvents, EVENTS)
  .transform((given): WebhookEvents => given)
  .openapi("WebhookEvents", {
    properties: { [USERS_NAME]: someOf(USER_EVENTS) },
    ...NAMED,
    additionalProperties: someOf(COLLECTION_EVENTS),
    minProperties: 1,
    maxProperties: WEBHOOK_EVENTS_MAX,
    description: "Events to deliver, by collection; `users` means the project's users. Events of " +
      `a collection: ${COLLECTION_EVENTS.join(", ")}; of users: ${USER_EVENTS.join(", ")} (for ` +
      "the first time).",
  });

const members = {
  name: singleLine(NAME_LENGTH_MAX, NAME).openapi({ description: "The webhook's name." }),
  url: z.string({ error: URL_TEXT }).min(1, URL_TEXT).max(URL_LENGTH_MAX, URL_TEXT).openapi({
    description: "Address of the messages: public and https, without user or password.",
  }),
  events,
};
const enabled = z.boolean({ error: ENABLED }).optional();

const INPUT_EXAMPLE = {
  name: "Search index",
  url: "https://hooks.example.com/corbel",
  events: { posts: ["created" as const, "changed" as const, "deleted" as const] },
};

export const WEBHOOK_INPUT_EXAMPLE = INPUT_EXAMPLE;

export const WebhookInput = bodyOf({ ...members, enabled: enabled.openapi({ default: true }) })
  .openapi("WebhookInput", { example: INPUT_EXAMPLE });

export const WEBHOOK_CHANGE_EXAMPLE = { enabled: false };

export const WebhookChange = bodyOf({
  name: members.name.optional(),
  url: members.url.optional(),
  events: members.events.optional(),
  enabled,
}).openapi("WebhookChange", { example: WEBHOOK_CHANGE_EXAMPLE });

const webhookShape = {
  id,
  name: z.string(),
  url: z.string(),
  events: eventsRecord,
  enabled: z.boolean(),
  offBecause: z.string().nullable().openapi({
    description: "Reason why the server disabled it; null if it did not.",
  }),
  formerSecretUntil: time.nullable().openapi({
    description: "Time until which messages are also signed with the previous secret.",
  }),
  createdAt: time,
  updatedAt: time,
};

export const WEBHOOK_EXAMPLE = {
  id: EXAMPLE_ID,
  ...INPUT_EXAMPLE,
  enabled: true,
  offBecause: null,
  formerSecretUntil: null,
  createdAt: "2026-01-31T12:00:00.000Z",
  updatedAt: "2026-01-31T12:00:00.000Z",
};

export const Webhook = z.strictObject(webhookShape).openapi("Webhook", {
  example: WEBHOOK_EXAMPLE,
});

export const WebhookList = pageOf(Webhook, "WebhookList", WEBHOOK_EXAMPLE);

export const CREATED_WEBHOOK_EXAMPLE = { ...WEBHOOK_EXAMPLE, secret: `whsec_${"A".repeat(43)}=` };

export const WebhookWithSecret = z.strictObject({
  ...webhookShape,
  secret: z.string().openapi({
    description:
      "Secret that signs messages, by the Standard Webhooks specification. Shown only once.",
  }),
}).openapi("WebhookWithSecret", { example: CREATED_WEBHOOK_EXAMPLE });

export const ROTATED_WEBHOOK_EXAMPLE = {
  ...CREATED_WEBHOOK_EXAMPLE,
  formerSecretUntil: "2026-02-01T12:00:00.000Z",
};
export const OVERLAP = `${WEBHOOK_OVERLAP_HOURS} hours`;

export const DeletedWebhook = z.strictObject({ deleted: z.literal(true) })
  .openapi("DeletedWebhook", { example: { deleted: true } });

const result = {
  status: z.int().nullable().openapi({
    description: "Status of the answer; null if there was none.",
  }),
  durationMs: z.int().nullable(),
  answer: z.string().nullable().openapi({
    description: `The first ${WEBHOOK_ANSWER_BYTES} bytes of the answer, as text.`,
  }),
  error: z.string().nullable().openapi({ description: "Reason why there was no answer." }),
};

export const TESTED_WEBHOOK_EXAMPLE = {
  ok: true,
  status: 200,
  durationMs: 84,
  answer: "ok",
  error: null,
};

export const TestedWebhook = z.strictObject({ ok: z.boolean(), ...result })
  .openapi("TestedWebhook", { example: TESTED_WEBHOOK_EXAMPLE });

const delivery = {
  id,
  type: z.string(),
  state: z.enum(["queued", "delivered", "failed"]),
  tries: z.int(),
  nextTryAt: time.nullable().openapi({
    description:
      "Earliest time of the next try. An earlier message about the same document comes first.",
  }),
  ...result,
  createdAt: time,
  endedAt: time.nullable(),
};

export const DELIVERY_EXAMPLE = {
  id: EXAMPLE_ID,
  type: "posts.created",
  state: "delivered" as const,
  tries: 1,
  nextTryAt: null,
  status: 200,
  durationMs: 84,
  answer: "ok",
  error: null,
  createdAt: "2026-01-31T12:00:00.000Z",
  endedAt: "2026-01-31T12:00:00.200Z",
};

export const QUEUED_DELIVERY_EXAMPLE = {
  ...DELIVERY_EXAMPLE,
  state: "queued" as const,
  tries: 0,
  nextTryAt: "2026-01-31T12:10:00.000Z",
  endedAt: null,
};

export const Delivery = z.strictObject(delivery)
  .openapi("WebhookDelivery", { example: DELIVERY_EXAMPLE });

export const DeliveryList = pageOf(Delivery, "WebhookDeliveryList", DELIVERY_EXAMPLE);

export const FULL_DELIVERY_EXAMPLE = {
  ...DELIVERY_EXAMPLE,
  body: '{"type":"posts.created","timestamp":"2026-01-31T12:00:00.000Z","data":{}}',
};

export const FullDelivery = z.strictObject({
  ...delivery,
  body: z.string().nullable().openapi({
    description: "The signed text that is sent; null after it has been deleted.",
  }),
}).openapi("WholeWebhookDelivery", { example: FULL_DELIVERY_EXAMPLE });

const SINCE = '"since" must be a time in ISO 8601 with a zone.';
export const REPLAY_EXAMPLE = { since: "2026-01-31T12:00:00.000Z" };

export const ReplayInput = bodyOf({
  since: z.iso.datetime({ offset: true, error: SINCE })
    .transform((text) => new Date(text).toISOString())
    .openapi({ format: "date-time" }),
}).openapi("WebhookReplayInput", { example: REPLAY_EXAMPLE });

export const REPLAYED_EXAMPLE = { replayed: 12, nextSince: null };

export const Replayed = z.strictObject({
  replayed: z.int(),
  nextSince: time.nullable().openapi({
    description: "The `since` of the next request; null if nothing is left.",
  }),
}).openapi("WebhookReplayed", { example: REPLAYED_EXAMPLE });

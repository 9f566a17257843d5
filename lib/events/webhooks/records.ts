import type { ChangeAction, PositionedChange } from "../../store/changes.ts";
import type { Json } from "../../store/port.ts";
import { field, nullable, recordKind, type RecordOf } from "../../store/record_kind.ts";

export const COLLECTION_EVENTS = ["created", "changed", "deleted", "recovered"] as const;
export const USER_EVENTS = ["created", "changed", "deleted", "signedIn"] as const;

/** The name for users in place of a collection. Collections cannot have this name. */
export const USERS_NAME = "users";

export type EventName = (typeof COLLECTION_EVENTS)[number] | (typeof USER_EVENTS)[number];

/** The events that a webhook receives, by collection name or `users`. */
export type WebhookEvents = { [collection: string]: EventName[] };

/** A URL that receives changes. Stored in the project's space. */
export const WEBHOOKS = recordKind({
  name: "_webhooks",
  fields: {
    name: field.text,
    url: field.text,
    isEnabled: field.flag,
    /** The reason why Corbel switched the webhook off; null if it did not. */
    offBecause: nullable(field.text),
    /** The signing secret, sealed for this webhook. */
    sealedSecret: field.text,
    /** The previous secret, with which messages are also signed until `formerUntil`. */
    sealedFormerSecret: nullable(field.text),
    formerUntil: nullable(field.date),
    /** Time of the last notice to the owner about failed deliveries. */
    toldAt: nullable(field.date),
    createdAt: field.date,
    updatedAt: field.date,
    events: field.undeclared<WebhookEvents & { [name: string]: Json }>(),
  },
  indexes: [{ keys: [{ path: "createdAt", descending: true }] }],
  trash: false,
});

export type WebhookRecord = RecordOf<typeof WEBHOOKS>;

/** Incremented with each new webhook, so that transactions that add webhooks conflict. */
export const WEBHOOK_COUNTS = recordKind({
  name: "_webhookCounts",
  fields: {
    added: field.number,
  },
  indexes: [],
  trash: false,
});

export type WebhookCountRecord = RecordOf<typeof WEBHOOK_COUNTS>;

/** A change as webhooks receive it, under a collection's name or `users`. */
export interface WebhookEventChange extends Omit<PositionedChange, "action"> {
  readonly action: ChangeAction | "signedIn";
}

export {
  DELIVERIES,
  type DeliveryRecord,
  type DeliveryState,
  ENDED_STATES as ENDED,
} from "../../projects/delivery_records.ts";

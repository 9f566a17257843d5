import type { ChangeAction, PositionedChange } from "../../store/changes.ts";
import type { Json } from "../../store/port.ts";
import { field, nullable, recordKind, type RecordOf } from "../../store/record_kind.ts";

/** What documents of a collection tell, and what users do. */
export const COLLECTION_EVENTS = ["created", "changed", "deleted", "recovered"] as const;
export const USER_EVENTS = ["created", "changed", "deleted", "signedIn"] as const;

/** What stands for users where collections are named: no collection has this name. */
export const USERS_NAME = "users";

export type EventName = (typeof COLLECTION_EVENTS)[number] | (typeof USER_EVENTS)[number];

/** By collection, or `users`, what a webhook is told. */
export type WebhookEvents = { [collection: string]: EventName[] };

/** An address that is told what changes. In each project's space. */
export const WEBHOOKS = recordKind({
  name: "_webhooks",
  fields: {
    name: field.text,
    url: field.text,
    isEnabled: field.flag,
    /** Why Corbel has switched it off; null where it has not. */
    offBecause: nullable(field.text),
    /** What its messages are signed with, sealed for it. */
    sealedSecret: field.text,
    /** The one before, which is signed with as well until then. */
    sealedFormerSecret: nullable(field.text),
    formerUntil: nullable(field.date),
    /** When the owner was last told that messages do not get through. */
    toldAt: nullable(field.date),
    createdAt: field.date,
    updatedAt: field.date,
    events: field.undeclared<WebhookEvents & { [name: string]: Json }>(),
  },
  indexes: [{ keys: [{ path: "createdAt", descending: true }] }],
  trash: false,
});

export type WebhookRecord = RecordOf<typeof WEBHOOKS>;

/**
 * Grows with each webhook: transactions that add one wait for one another for it. In each
 * project's space, one record.
 */
export const WEBHOOK_COUNTS = recordKind({
  name: "_webhookCounts",
  fields: {
    added: field.number,
  },
  indexes: [],
  trash: false,
});

export type WebhookCountRecord = RecordOf<typeof WEBHOOK_COUNTS>;

/** A change as webhooks are told of it, under a collection's name or `users`. */
export interface ToldChange extends Omit<PositionedChange, "action"> {
  readonly action: ChangeAction | "signedIn";
}

export {
  DELIVERIES,
  type DeliveryRecord,
  type DeliveryState,
  ENDED,
} from "../../projects/delivery_records.ts";

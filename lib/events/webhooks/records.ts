import type { ChangeAction, PositionedChange } from "../../store/changes.ts";
import type { Definition, Json, StoredRecord } from "../../store/port.ts";

/** What documents of a collection tell, and what users do. */
export const COLLECTION_EVENTS = ["created", "changed", "deleted", "recovered"] as const;
export const USER_EVENTS = ["created", "changed", "deleted", "signedIn"] as const;

/** What stands for users where collections are named: no collection has this name. */
export const USERS_NAME = "users";

export type EventName = (typeof COLLECTION_EVENTS)[number] | (typeof USER_EVENTS)[number];

/** By collection, or `users`, what a webhook is told. */
export type WebhookEvents = { [collection: string]: EventName[] };

/** An address that is told what changes. */
export type WebhookRecord = StoredRecord & {
  name: string;
  url: string;
  events: WebhookEvents & { [name: string]: Json };
  isEnabled: boolean;
  /** Why Corbel has switched it off; null where it has not. */
  offBecause: string | null;
  /** What its messages are signed with, sealed for it. */
  sealedSecret: string;
  /** The one before, which is signed with as well until then. */
  sealedFormerSecret: string | null;
  formerUntil: string | null;
  /** When the owner was last told that messages do not get through. */
  toldAt: string | null;
  createdAt: string;
  updatedAt: string;
};

/** In each project's space. */
export const WEBHOOKS: Definition = {
  name: "_webhooks",
  fields: {
    name: { type: "String" },
    url: { type: "String" },
    isEnabled: { type: "Boolean" },
    offBecause: { type: "String" },
    sealedSecret: { type: "String" },
    sealedFormerSecret: { type: "String" },
    formerUntil: { type: "Date" },
    toldAt: { type: "Date" },
    createdAt: { type: "Date" },
    updatedAt: { type: "Date" },
  },
  indexes: [{ keys: [{ path: "createdAt", descending: true }] }],
  trash: false,
};

/** Grows with each webhook: transactions that add one wait for one another for it. */
export type WebhookCountRecord = StoredRecord & { added: number };

/** In each project's space, one record. */
export const WEBHOOK_COUNTS: Definition = {
  name: "_webhookCounts",
  fields: { added: { type: "Number" } },
  indexes: [],
  trash: false,
};

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

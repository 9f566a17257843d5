import type { Definition, Id, StoredRecord } from "../store/port.ts";

export type DeliveryState = "queued" | "delivered" | "failed";

export const ENDED: readonly DeliveryState[] = ["delivered", "failed"];

/** A message to one webhook, written in a transaction of the project. */
export type DeliveryRecord = StoredRecord & {
  webhookId: Id;
  /** Webhook and document: messages of one go out one after the other, by their positions. */
  lane: string;
  position: string;
  type: string;
  /** JSON text, as it is signed and sent; null once it is no longer kept, of a message that has ended. */
  body: string | null;
  /** Bytes of the body. Earlier versions left this and the next member out. */
  bodyBytes?: number;
  /** From when on the body of a delivered message is not kept; null where there is none. */
  bodyUntil?: string | null;
  state: DeliveryState;
  /** How often it was tried since it was queued. */
  tries: number;
  /** Not tried before. */
  dueAt: string;
  /** Names the run of a job that sends it; null if none does. Earlier versions left it out. */
  claimedBy: string | null;
  /** What came of the last try; null where there was none, or no answer. */
  status: number | null;
  durationMs: number | null;
  answer: string | null;
  /** Why there was no answer, or why it was not tried. */
  error: string | null;
  createdAt: string;
  endedAt: string | null;
  expiresAt: string;
};

/** In each project's space. */
export const DELIVERIES: Definition = {
  name: "_webhookDeliveries",
  fields: {
    webhookId: { type: "String" },
    lane: { type: "String" },
    position: { type: "String" },
    type: { type: "String" },
    state: { type: "String" },
    bodyBytes: { type: "Number" },
    bodyUntil: { type: "Date" },
    tries: { type: "Number" },
    dueAt: { type: "Date" },
    claimedBy: { type: "String" },
    status: { type: "Number" },
    durationMs: { type: "Number" },
    answer: { type: "String" },
    error: { type: "String" },
    createdAt: { type: "Date" },
    endedAt: { type: "Date" },
    expiresAt: { type: "Date" },
  },
  indexes: [
    { keys: [{ path: "lane", descending: false }, { path: "position", descending: false }] },
    { keys: [{ path: "webhookId", descending: false }, { path: "createdAt", descending: true }] },
    { keys: ["state", "bodyUntil", "bodyBytes"].map((path) => ({ path, descending: false })) },
  ],
  trash: false,
  counted: true,
  expiry: "expiresAt",
};

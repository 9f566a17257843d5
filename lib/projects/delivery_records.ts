import type { Id } from "../store/port.ts";
import { field, nullable, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

export type DeliveryState = "queued" | "delivered" | "failed";

export const ENDED: readonly DeliveryState[] = ["delivered", "failed"];

/**
 * A message to one webhook, written in a transaction of the project. In each project's space.
 */
export const DELIVERIES = recordKind({
  name: "_webhookDeliveries",
  fields: {
    webhookId: field.textOf<Id>(),
    /** Webhook and document: messages of one go out one after the other, by their positions. */
    lane: field.text,
    position: field.text,
    type: field.text,
    state: field.textOf<DeliveryState>(),
    /** Bytes of the body. Earlier versions left this and the next member out. */
    bodyBytes: optional(field.number),
    /** From when on the body of a delivered message is not kept; null where there is none. */
    bodyUntil: optional(nullable(field.date)),
    /** How often it was tried since it was queued. */
    tries: field.number,
    /** Not tried before. */
    dueAt: field.date,
    /** Names the run of a job that sends it; null if none does. Earlier versions left it out. */
    claimedBy: nullable(field.text),
    /** What came of the last try; null where there was none, or no answer. */
    status: nullable(field.number),
    durationMs: nullable(field.number),
    answer: nullable(field.text),
    /** Why there was no answer, or why it was not tried. */
    error: nullable(field.text),
    createdAt: field.date,
    endedAt: nullable(field.date),
    expiresAt: field.date,
    /** JSON text, as it is signed and sent; null once it is no longer kept, of a message that has ended. */
    body: field.undeclared<string | null>(),
  },
  indexes: [
    { keys: [{ path: "lane", descending: false }, { path: "position", descending: false }] },
    { keys: [{ path: "webhookId", descending: false }, { path: "createdAt", descending: true }] },
    { keys: ["state", "bodyUntil", "bodyBytes"].map((path) => ({ path, descending: false })) },
  ],
  trash: false,
  counted: true,
  expiry: "expiresAt",
});

export type DeliveryRecord = RecordOf<typeof DELIVERIES>;

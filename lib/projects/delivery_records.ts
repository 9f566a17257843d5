import type { Id } from "../store/port.ts";
import { field, nullable, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

export type DeliveryState = "queued" | "delivered" | "failed";

export const ENDED_STATES: readonly DeliveryState[] = ["delivered", "failed"];

/** Messages, inserted in the transaction of the change. Stored in the project's space. */
export const DELIVERIES = recordKind({
  name: "_webhookDeliveries",
  fields: {
    webhookId: field.oneOf<Id>(),
    /** Webhook and document. Messages of a lane are sent one after the other, by `position`. */
    lane: field.text,
    position: field.text,
    type: field.text,
    state: field.oneOf<DeliveryState>(),
    /** Earlier versions left out this field and `bodyUntil`. */
    bodyBytes: optional(field.number),
    /** Time at which the body of a delivered message is removed; null for other messages. */
    bodyUntil: optional(nullable(field.date)),
    /** Number of attempts since the message was queued. */
    tries: field.number,
    /** Earliest next attempt. */
    dueAt: field.date,
    /** The job run that is sending the message; null if none is. Earlier versions left it out. */
    claimedBy: nullable(field.text),
    /** HTTP status of the last attempt; null without a response. */
    status: nullable(field.number),
    durationMs: nullable(field.number),
    answer: nullable(field.text),
    /** Reason for a missing response or a skipped attempt. */
    error: nullable(field.text),
    createdAt: field.date,
    endedAt: nullable(field.date),
    expiresAt: field.date,
    /** JSON text that is signed and sent; null after the body of an ended message was removed. */
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

import { type Clock, timestamp } from "../../clock.ts";
import { hashedId } from "../../crypto/hashes.ts";
import type { NewId } from "../../ids.ts";
import { enqueue, type JobRecord } from "../../jobs/jobs.ts";
import { WEBHOOK_BODY_BYTES_MAX, WEBHOOK_BODY_MS, WEBHOOK_LOG_MS } from "../../limits.ts";
import { eq } from "../../store/filter.ts";
import { bytesOf, exceedsBytes, parseJson } from "../../store/json_text.ts";
import type { Engine, Id, Records, Transaction } from "../../store/port.ts";
import {
  DELIVERIES,
  type DeliveryRecord,
  type EventName,
  type WebhookEventChange,
  type WebhookRecord,
  WEBHOOKS,
} from "./records.ts";

/** The kind of the jobs that send messages. The subject is the delivery, the lane the webhook. */
export const DELIVER_JOB = "deliverWebhook";

export interface EnqueueServices {
  readonly clock: Clock;
  readonly newId: NewId;
}

export interface WebhookAudience {
  readonly projectId: Id;
  readonly webhooks: readonly WebhookRecord[];
}

export const enabledWebhooks = (
  { engine }: { readonly engine: Engine },
  projectId: Id,
): Promise<WebhookAudience> => readEnabledWebhooks(engine.records(projectId, WEBHOOKS), projectId);

/** Reads inside the transaction, because a rename of a collection may have changed the events. */
export const enabledWebhooksIn = (tx: Transaction, projectId: Id): Promise<WebhookAudience> =>
  readEnabledWebhooks(tx.records(WEBHOOKS), projectId);

async function readEnabledWebhooks(
  records: Records<WebhookRecord>,
  projectId: Id,
): Promise<WebhookAudience> {
  const webhooks = await Array.fromAsync(records.find({ filter: eq("isEnabled", true) }));
  return { projectId, webhooks };
}

/**
 * Stores deliveries in a transaction that must also move the dispatch position, so that each change
 * is enqueued once. Returns the jobs, which the caller begins after the commit.
 */
export async function enqueueDeliveries(
  tx: Transaction,
  services: EnqueueServices,
  { projectId, webhooks }: WebhookAudience,
  { changes, quota }: {
    readonly changes: readonly WebhookEventChange[];
    /** Bytes of messages that may still be queued. Messages beyond it are stored as failed. */
    readonly quota: number;
  },
): Promise<JobRecord[]> {
  let left = quota;
  const deliveries = changes.flatMap((change) => {
    const event = eventOfChange(change);
    if (event === null) return [];
    const receivers = webhooks.filter(({ events }) => isSubscribed(events, change.name, event));
    if (receivers.length === 0) return [];
    const message = {
      type: `${change.name}.${event}`,
      body: messageBody(projectId, change, event),
    };
    const bytes = bytesOf(message.body);
    return receivers.map(({ _id }) => {
      left -= bytes;
      const delivery = deliveryRecord(services, _id, { change, message });
      return left >= 0 ? delivery : rejectedDelivery(delivery);
    });
  });
  if (deliveries.length === 0) return [];
  await tx.records<DeliveryRecord>(DELIVERIES).insertMany(deliveries);
  const queued = deliveries.filter(({ state }) => state === "queued");
  return queued.length === 0 ? [] : await enqueueDeliveryJobs(tx, services, queued);
}

export const enqueueDeliveryJobs = (
  tx: Transaction,
  services: EnqueueServices,
  deliveries: readonly DeliveryRecord[],
): Promise<JobRecord[]> =>
  enqueue(
    tx,
    services,
    deliveries.map(({ _id, webhookId }) => ({ subject: _id, lane: webhookId })),
    { kind: DELIVER_JOB },
  );

const isSubscribed = (events: WebhookRecord["events"], name: string, event: EventName): boolean =>
  Object.hasOwn(events, name) && events[name]!.includes(event);

/** Null for a removal from the trash, because moving the document there was a `deleted` event. */
function eventOfChange({ action, before }: WebhookEventChange): EventName | null {
  if (action !== "removed") return action;
  return isInTrash(before) ? null : "deleted";
}

function isInTrash(json: string | null): boolean {
  if (json === null) return false;
  return (parseJson(json) as { isDeleted?: boolean }).isDeleted === true; // It is a document.
}

/** Returns the body, without the previous document if the body would exceed its limit. */
function messageBody(projectId: Id, change: WebhookEventChange, event: EventName): string {
  const { name, recordId, at, actor, before, after } = change;
  const text = (previous: string | null) =>
    `{"type":${JSON.stringify(`${name}.${event}`)},"timestamp":${JSON.stringify(at)},"data":{` +
    `"projectId":"${projectId}","collection":${JSON.stringify(name)},"id":"${recordId}",` +
    `"actor":${JSON.stringify(actor)},"document":${after},"previous":${previous}}}`;
  const full = text(before);
  return exceedsBytes(full, WEBHOOK_BODY_BYTES_MAX) ? text(null) : full;
}

/** Marks a delivery that exceeds the quota as failed, so that the webhook's log shows it. */
const rejectedDelivery = (delivery: DeliveryRecord): DeliveryRecord => ({
  ...delivery,
  body: null,
  bodyBytes: 0,
  bodyUntil: null,
  state: "failed",
  error: "It was not sent: the project's queued messages have reached their size limit.",
  endedAt: delivery.createdAt,
});

function deliveryRecord(
  { clock }: EnqueueServices,
  webhookId: Id,
  { change: { position, name, recordId, action }, message }: {
    readonly change: WebhookEventChange;
    readonly message: { readonly type: string; readonly body: string };
  },
): DeliveryRecord {
  const now = timestamp(clock);
  return {
    _id: hashedId(`${webhookId} ${position} ${name} ${recordId} ${action}`),
    webhookId,
    lane: [webhookId, name, recordId].join(" "),
    position,
    ...message,
    bodyBytes: bytesOf(message.body),
    bodyUntil: new Date(clock.now() + WEBHOOK_BODY_MS).toISOString(),
    state: "queued",
    tries: 0,
    dueAt: now,
    claimedBy: null,
    status: null,
    durationMs: null,
    answer: null,
    error: null,
    createdAt: now,
    endedAt: null,
    expiresAt: new Date(clock.now() + WEBHOOK_LOG_MS).toISOString(),
  };
}

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
  type ToldChange,
  type WebhookRecord,
  WEBHOOKS,
} from "./records.ts";

/** The kind of the jobs that send messages; a job's subject is the delivery's id, its lane the webhook's. */
export const DELIVER_JOB = "deliverWebhook";

export interface EnqueueServices {
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Who is told of a project's changes. */
export interface WebhookAudience {
  readonly projectId: Id;
  readonly webhooks: readonly WebhookRecord[];
}

export const enabledWebhooks = (
  { engine }: { readonly engine: Engine },
  projectId: Id,
): Promise<WebhookAudience> => enabledAmong(engine.records(projectId, WEBHOOKS), projectId);

/** The same in the transaction that writes their deliveries: a collection may be renamed before it. */
export const enabledWithin = (tx: Transaction, projectId: Id): Promise<WebhookAudience> =>
  enabledAmong(tx.records(WEBHOOKS), projectId);

async function enabledAmong(
  records: Records<WebhookRecord>,
  projectId: Id,
): Promise<WebhookAudience> {
  const webhooks = await Array.fromAsync(records.find({ filter: eq("isEnabled", true) }));
  return { projectId, webhooks };
}

/**
 * Writes down what webhooks are told of changes, in a transaction of their project. A change is
 * given once: in the transaction that notes up to which one they are told. Resolves to the jobs that
 * send it, which the caller begins behind the transaction.
 */
export async function enqueueDeliveries(
  tx: Transaction,
  services: EnqueueServices,
  { projectId, webhooks }: WebhookAudience,
  { changes, room }: {
    readonly changes: readonly ToldChange[];
    /** How many bytes of messages may still wait; what is more is recorded as failed. */
    readonly room: number;
  },
): Promise<JobRecord[]> {
  let left = room;
  const deliveries = changes.flatMap((change) => {
    const event = eventOf(change);
    if (event === null) return [];
    const told = webhooks.filter(({ events }) => isAsked(events, change.name, event));
    if (told.length === 0) return [];
    const message = { type: `${change.name}.${event}`, body: bodyOf(projectId, change, event) };
    const bytes = bytesOf(message.body);
    return told.map(({ _id }) => {
      left -= bytes;
      const delivery = deliveryRecord(services, _id, { change, message });
      return left >= 0 ? delivery : refused(delivery);
    });
  });
  if (deliveries.length === 0) return [];
  await tx.records<DeliveryRecord>(DELIVERIES).insertMany(deliveries);
  const queued = deliveries.filter(({ state }) => state === "queued");
  return queued.length === 0 ? [] : await enqueueSendings(tx, services, queued);
}

export const enqueueSendings = (
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

const isAsked = (events: WebhookRecord["events"], name: string, event: EventName): boolean =>
  Object.hasOwn(events, name) && events[name]!.includes(event);

/** To remove what is in the trash tells nothing new: it was told as deleted. */
function eventOf({ action, before }: ToldChange): EventName | null {
  if (action !== "removed") return action;
  return isInTrash(before) ? null : "deleted";
}

function isInTrash(json: string | null): boolean {
  if (json === null) return false;
  return (parseJson(json) as { isDeleted?: boolean }).isDeleted === true; // It is a document.
}

/** The document before is left out where both would be too much for receivers. */
function bodyOf(projectId: Id, change: ToldChange, event: EventName): string {
  const { name, recordId, at, actor, before, after } = change;
  const text = (previous: string | null) =>
    `{"type":${JSON.stringify(`${name}.${event}`)},"timestamp":${JSON.stringify(at)},"data":{` +
    `"projectId":"${projectId}","collection":${JSON.stringify(name)},"id":"${recordId}",` +
    `"actor":${JSON.stringify(actor)},"document":${after},"previous":${previous}}}`;
  const whole = text(before);
  return exceedsBytes(whole, WEBHOOK_BODY_BYTES_MAX) ? text(null) : whole;
}

/** A message that does not wait to be sent, because as many wait as may. Its webhook's log shows it. */
const refused = (delivery: DeliveryRecord): DeliveryRecord => ({
  ...delivery,
  body: null,
  bodyBytes: 0,
  bodyUntil: null,
  state: "failed",
  error: "It was not sent: the messages that wait take all that the project may have waiting.",
  endedAt: delivery.createdAt,
});

function deliveryRecord(
  { clock }: EnqueueServices,
  webhookId: Id,
  { change: { position, name, recordId, action }, message }: {
    readonly change: ToldChange;
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

import { timestamp } from "../../clock.ts";
import type { NewId } from "../../ids.ts";
import {
  enqueue,
  type JobKind,
  type JobQueue,
  type JobRecord,
  JOBS,
  type JobServices,
  retryTime,
} from "../../jobs/jobs.ts";
import { isInUse } from "../../projects/projects.ts";
import { and, compare, eq, or } from "../../store/filter.ts";
import type { Filter, Id, Records, Transaction } from "../../store/port.ts";
import { DELIVER_JOB } from "./deliveries.ts";
import { DELIVERIES, type DeliveryRecord, type WebhookRecord, WEBHOOKS } from "./records.ts";
import { isSuccess, type SendResult, type SendServices, sendSigned } from "./send.ts";
import { messageId } from "./signatures.ts";

export interface DeliverServices extends JobServices, SendServices {
  readonly newId: NewId;
  readonly jobRunner: JobQueue;
}

/** The kind of the jobs that notify an owner. A job's subject is the webhook's id. */
export const NOTIFY_WEBHOOK_OWNER_JOB = "tellOwnerOfWebhook";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays after each failed try. A message that fails after the last one is given up. */
const RETRY_DELAYS_MS = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];

/** Shortest time between two notices about a webhook to its owner. */
const NOTICE_INTERVAL_MS = 24 * HOUR_MS;

const GONE_STATUS = 410;

/**
 * Sends the messages of a lane, a document and a webhook, in the order of their changes. A message
 * that waits for its retry delays the following ones. While one job sends, others of the lane end.
 */
export const DELIVER: JobKind<DeliverServices> = {
  name: DELIVER_JOB,
  atOnce: 4,
  hasLaneShares: true,
  async run(services, space, job, isStopping) {
    if (space === "control") return null;
    const lane = await findLane(services, space, job.subject);
    if (lane === null) return null;
    for (;;) {
      if (isStopping()) return services.clock.now();
      const oldest = await claimOldest(services, space, { lane, job });
      const next = "delivery" in oldest ? await deliver(services, space, oldest) : oldest.next;
      if (next !== NOW) return next;
    }
  },
};

/** Returns the lane of a message, or null if the message is no longer queued. */
async function findLane(
  services: DeliverServices,
  projectId: Id,
  deliveryId: Id,
): Promise<string | null> {
  // Reading from a deleted project would create its space again.
  if (!await isInUse(services, projectId)) return null;
  const found = await services.engine.records<DeliveryRecord>(projectId, DELIVERIES)
    .get(deliveryId);
  return found?.value.state === "queued" ? found.value.lane : null;
}

/** Time of the job's next run in milliseconds since 1970, `NOW` to go on, or null to end. */
type NextRun = number | null | typeof NOW;
const NOW = "now";

interface ClaimedMessage {
  readonly delivery: DeliveryRecord;
  readonly webhook: WebhookRecord;
}

/** Claims the oldest message of a lane, or returns when the job is due again. */
async function claimOldest(
  services: DeliverServices,
  projectId: Id,
  { lane, job }: { readonly lane: string; readonly job: JobRecord },
): Promise<ClaimedMessage | { readonly next: number | null }> {
  const { engine, clock } = services;
  const deliveries = engine.records<DeliveryRecord>(projectId, DELIVERIES);
  for (;;) {
    const page = await deliveries.list({
      filter: and(eq("lane", lane), eq("state", "queued")),
      sort: [{ path: "position", descending: false }],
      limit: 1,
    });
    const [oldest] = page.records();
    if (oldest === undefined) return { next: null };
    if (oldest.dueAt > timestamp(clock)) return { next: Date.parse(oldest.dueAt) };
    if (await isSending(services, projectId, oldest)) return { next: null };
    const claimed = await deliveries.updateOne(isUnchanged(oldest), {
      set: { claimedBy: runIdOf(job) },
      increment: { tries: 1 },
    });
    if (claimed === null) continue; // Another job claimed it, or the message was queued again.
    const delivery = claimed.value;
    const webhook = await engine.records<WebhookRecord>(projectId, WEBHOOKS)
      .get(delivery.webhookId);
    if (webhook?.value.isEnabled) return { delivery, webhook: webhook.value };
    const error = webhook === null ? "The webhook is deleted." : "The webhook is off.";
    await endDelivery(deliveries, services, { delivery, change: { state: "failed", error } });
  }
}

/** Identifies one run of a job. A process that takes the job over starts another run. */
const runIdOf = ({ _id, claimedBy, tries }: JobRecord): string => `${_id} ${claimedBy} ${tries}`;

/** Whether the job run that claimed the message is still running. */
async function isSending(
  { engine }: DeliverServices,
  projectId: Id,
  { claimedBy = null }: DeliveryRecord,
): Promise<boolean> {
  if (claimedBy === null) return false;
  const job = await engine.records<JobRecord>(projectId, JOBS).get(claimedBy.split(" ")[0]!);
  return job !== null && runIdOf(job.value) === claimedBy;
}

/** Sends a claimed message and returns when the next message of its lane is due. */
async function deliver(
  services: DeliverServices,
  projectId: Id,
  { delivery, webhook }: ClaimedMessage,
): Promise<NextRun> {
  const { engine } = services;
  const message = { id: messageId(delivery._id), body: delivery.body! }; // Queued ones have a body.
  const result = await sendSigned(services, { projectId, webhook }, message);
  if (!isSuccess(result)) {
    return await retryOrFail(services, projectId, { webhook, delivery, result });
  }
  const deliveries = engine.records<DeliveryRecord>(projectId, DELIVERIES);
  const change = { state: "delivered" as const, ...result };
  const isEnded = await endDelivery(deliveries, services, { delivery, change });
  // Only a run that another process has taken over must end.
  return isEnded || await isSending(services, projectId, delivery) ? NOW : null;
}

/** Matches a message unless it was claimed by another job or queued again since it was read. */
const isUnchanged = ({ _id, tries, claimedBy = null }: DeliveryRecord): Filter =>
  and(eq("_id", _id), eq("state", "queued"), eq("tries", tries), eq("claimedBy", claimedBy));

interface DeliveryEnd {
  readonly delivery: DeliveryRecord;
  readonly change: Partial<DeliveryRecord>;
}

/** Ends a delivery. Returns whether this call ended it. */
async function endDelivery(
  deliveries: Records<DeliveryRecord>,
  { clock }: DeliverServices,
  { delivery, change }: DeliveryEnd,
): Promise<boolean> {
  const set = { ...change, claimedBy: null, endedAt: timestamp(clock) };
  return await deliveries.updateOne(isUnchanged(delivery), { set }) !== null;
}

/**
 * Returns the time of the next retry. After the last, fails the delivery and notifies the owner.
 */
async function retryOrFail(
  services: DeliverServices,
  projectId: Id,
  { webhook, delivery, result }: {
    readonly webhook: WebhookRecord;
    readonly delivery: DeliveryRecord;
    readonly result: SendResult;
  },
): Promise<NextRun> {
  const { engine, clock, jobRunner } = services;
  const isGone = result.status === GONE_STATUS;
  const pause = isGone ? undefined : RETRY_DELAYS_MS[delivery.tries - 1];
  if (pause !== undefined) {
    const next = retryTime(clock, pause, delivery._id);
    const set = { ...result, claimedBy: null, dueAt: new Date(next).toISOString() };
    await engine.records<DeliveryRecord>(projectId, DELIVERIES).updateOne(isUnchanged(delivery), {
      set,
    });
    return next;
  }
  const jobs = await engine.transaction(projectId, async (tx) => {
    const change = { state: "failed" as const, ...result };
    const deliveries = tx.records<DeliveryRecord>(DELIVERIES);
    if (!await endDelivery(deliveries, services, { delivery, change })) return null;
    if (isGone) await switchOffIfUnchanged(tx, services, webhook);
    return await notifyOwner(tx, services, webhook._id);
  });
  for (const job of jobs ?? []) jobRunner.begin(projectId, job);
  return jobs !== null || await isSending(services, projectId, delivery) ? NOW : null;
}

/** Switches a webhook off, unless its URL was changed since the message was sent. */
async function switchOffIfUnchanged(
  tx: Transaction,
  { clock }: DeliverServices,
  { _id, url }: WebhookRecord,
): Promise<void> {
  const offBecause = "It answered that it is gone (410).";
  const set = { isEnabled: false, offBecause, updatedAt: timestamp(clock) };
  await tx.records<WebhookRecord>(WEBHOOKS).updateOne(and(eq("_id", _id), eq("url", url)), { set });
}

/** Enqueues a mail to the owner, unless one was sent within {@linkcode NOTICE_INTERVAL_MS}. */
async function notifyOwner(
  tx: Transaction,
  services: DeliverServices,
  webhookId: Id,
): Promise<JobRecord[]> {
  const { clock } = services;
  const before = new Date(clock.now() - NOTICE_INTERVAL_MS).toISOString();
  const isDue = or(eq("toldAt", null), compare("toldAt", "lte", before));
  const marked = await tx.records<WebhookRecord>(WEBHOOKS)
    .updateOne(and(eq("_id", webhookId), isDue), { set: { toldAt: timestamp(clock) } });
  if (marked === null) return [];
  const subjects = [{ subject: webhookId, lane: webhookId }];
  return await enqueue(tx, services, subjects, { kind: NOTIFY_WEBHOOK_OWNER_JOB });
}

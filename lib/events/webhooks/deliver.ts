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

/** The kind of the jobs that tell an owner; a job's subject is the webhook's id. */
export const TELL_OWNER_JOB = "tellOwnerOfWebhook";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** After the first try, and after each one more, until it is given up. */
const PAUSES_MS = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];

/** An owner is told of a webhook once a day at most. */
const TOLD_MS = 24 * HOUR_MS;

const GONE = 410;

/**
 * Sends the messages that wait for the document and webhook of the job's message, the oldest first.
 * A message that is retried later delays the following ones. While one job sends them, the jobs of
 * the other messages end at once: that job sends their messages, too.
 */
export const DELIVER: JobKind<DeliverServices> = {
  name: DELIVER_JOB,
  atOnce: 4,
  hasLaneShares: true,
  async run(services, space, job, isStopping) {
    if (space === "control") return null;
    const lane = await laneOf(services, space, job.subject);
    if (lane === null) return null;
    for (;;) {
      if (isStopping()) return services.clock.now();
      const oldest = await claimOldest(services, space, { lane, job });
      const next = "delivery" in oldest ? await deliver(services, space, oldest) : oldest.next;
      if (next !== NOW) return next;
    }
  },
};

/** Returns the lane of a message that waits; null if it does not wait any more. */
async function laneOf(
  services: DeliverServices,
  projectId: Id,
  deliveryId: Id,
): Promise<string | null> {
  // Reading from a project that is gone would create its space again.
  if (!await isInUse(services, projectId)) return null;
  const found = await services.engine.records<DeliveryRecord>(projectId, DELIVERIES)
    .get(deliveryId);
  return found?.value.state === "queued" ? found.value.lane : null;
}

/** When the job is due again: null if never, or at once. */
type Next = number | null | typeof NOW;
const NOW = "now";

interface Claimed {
  readonly delivery: DeliveryRecord;
  readonly webhook: WebhookRecord;
}

/** Claims the oldest message of a lane, or returns when the job is due again. */
async function claimOldest(
  services: DeliverServices,
  projectId: Id,
  { lane, job }: { readonly lane: string; readonly job: JobRecord },
): Promise<Claimed | { readonly next: number | null }> {
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
      set: { claimedBy: runOf(job) },
      increment: { tries: 1 },
    });
    if (claimed === null) continue; // Another job was faster, or the message was queued again.
    const delivery = claimed.value;
    const webhook = await engine.records<WebhookRecord>(projectId, WEBHOOKS)
      .get(delivery.webhookId);
    if (webhook?.value.isEnabled) return { delivery, webhook: webhook.value };
    const error = webhook === null ? "The webhook is deleted." : "The webhook is off.";
    await end(deliveries, services, { delivery, change: { state: "failed", error } });
  }
}

/** Names one run of a job: another process that takes it over has a run of its own. */
const runOf = ({ _id, claimedBy, tries }: JobRecord): string => `${_id} ${claimedBy} ${tries}`;

/** Whether the run of a job that has claimed a message still goes on. */
async function isSending(
  { engine }: DeliverServices,
  projectId: Id,
  { claimedBy = null }: DeliveryRecord,
): Promise<boolean> {
  if (claimedBy === null) return false;
  const job = await engine.records<JobRecord>(projectId, JOBS).get(claimedBy.split(" ")[0]!);
  return job !== null && runOf(job.value) === claimedBy;
}

/** Sends a claimed message. Resolves to when the next one of its lane is due. */
async function deliver(
  services: DeliverServices,
  projectId: Id,
  { delivery, webhook }: Claimed,
): Promise<Next> {
  const { engine } = services;
  const message = { id: messageId(delivery._id), body: delivery.body! }; // What is queued has one.
  const result = await sendSigned(services, { projectId, webhook }, message);
  if (!isSuccess(result)) return await retry(services, projectId, { webhook, delivery, result });
  const deliveries = engine.records<DeliveryRecord>(projectId, DELIVERIES);
  const change = { state: "delivered" as const, ...result };
  const isEnded = await end(deliveries, services, { delivery, change });
  // A run that another process has taken over, and no other, must not go on.
  return isEnded || await isSending(services, projectId, delivery) ? NOW : null;
}

/** Matches a message as long as no other job has claimed it since, and it was not queued again. */
const isUnchanged = ({ _id, tries, claimedBy = null }: DeliveryRecord): Filter =>
  and(eq("_id", _id), eq("state", "queued"), eq("tries", tries), eq("claimedBy", claimedBy));

interface Ending {
  readonly delivery: DeliveryRecord;
  readonly change: Partial<DeliveryRecord>;
}

/** Resolves to whether it was this call that ended it. */
async function end(
  deliveries: Records<DeliveryRecord>,
  { clock }: DeliverServices,
  { delivery, change }: Ending,
): Promise<boolean> {
  const set = { ...change, claimedBy: null, endedAt: timestamp(clock) };
  return await deliveries.updateOne(isUnchanged(delivery), { set }) !== null;
}

/** Resolves to when the message is retried; if it is given up, notifies the owner. */
async function retry(
  services: DeliverServices,
  projectId: Id,
  { webhook, delivery, result }: {
    readonly webhook: WebhookRecord;
    readonly delivery: DeliveryRecord;
    readonly result: SendResult;
  },
): Promise<Next> {
  const { engine, clock, jobRunner } = services;
  const isGone = result.status === GONE;
  const pause = isGone ? undefined : PAUSES_MS[delivery.tries - 1];
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
    if (!await end(deliveries, services, { delivery, change })) return null;
    if (isGone) await switchOff(tx, services, webhook);
    return await tellOwner(tx, services, webhook._id);
  });
  for (const job of jobs ?? []) jobRunner.begin(projectId, job);
  return jobs !== null || await isSending(services, projectId, delivery) ? NOW : null;
}

/** Unless it leads elsewhere by now. */
async function switchOff(
  tx: Transaction,
  { clock }: DeliverServices,
  { _id, url }: WebhookRecord,
): Promise<void> {
  const offBecause = "It answered that it is gone (410).";
  const set = { isEnabled: false, offBecause, updatedAt: timestamp(clock) };
  await tx.records<WebhookRecord>(WEBHOOKS).updateOne(and(eq("_id", _id), eq("url", url)), { set });
}

async function tellOwner(
  tx: Transaction,
  services: DeliverServices,
  webhookId: Id,
): Promise<JobRecord[]> {
  const { clock } = services;
  const before = new Date(clock.now() - TOLD_MS).toISOString();
  const isDue = or(eq("toldAt", null), compare("toldAt", "lte", before));
  const told = await tx.records<WebhookRecord>(WEBHOOKS)
    .updateOne(and(eq("_id", webhookId), isDue), { set: { toldAt: timestamp(clock) } });
  if (told === null) return [];
  const noted = [{ subject: webhookId, lane: webhookId }];
  return await enqueue(tx, services, noted, { kind: TELL_OWNER_JOB });
}

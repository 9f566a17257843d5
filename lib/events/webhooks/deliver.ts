import { timestamp } from "../../clock.ts";
import type { NewId } from "../../ids.ts";
import { enqueue, type JobKind, type JobRecord, type JobServices } from "../../jobs/jobs.ts";
import type { JobRunner } from "../../jobs/runner.ts";
import { WEBHOOK_TIMEOUT_MS } from "../../limits.ts";
import { isInUse } from "../../projects/projects.ts";
import { and, compare, eq, or } from "../../store/filter.ts";
import type { Filter, Id, Records, Transaction } from "../../store/port.ts";
import { DELIVER_JOB } from "./deliveries.ts";
import { DELIVERIES, type DeliveryRecord, type WebhookRecord, WEBHOOKS } from "./records.ts";
import { isSuccess, type SendResult, type SendServices, sendSigned } from "./send.ts";
import { messageId } from "./signatures.ts";
import type { WebhookTurns } from "./turns.ts";

export interface DeliverServices extends JobServices, SendServices {
  readonly newId: NewId;
  readonly webhookTurns: WebhookTurns;
  readonly webhookRunner: Pick<JobRunner, "begin">;
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

/** Longer than a try takes. */
const CLAIM_MS = 2 * WEBHOOK_TIMEOUT_MS;

/** An owner is told of a webhook once a day at most. */
const TOLD_MS = 24 * HOUR_MS;

const GONE = 410;

/**
 * Sends what waits for the document and webhook of the job's message, one after the other from the
 * oldest on. One that has to be tried again holds back those behind it. Whoever sends one has taken
 * it itself: the job alone may be done by two at once.
 */
export const DELIVER: JobKind<DeliverServices> = {
  name: DELIVER_JOB,
  beside: true,
  async run(services, space, { subject, lane: webhookId }, stopped) {
    const { clock, webhookTurns } = services;
    if (space === "control") return null;
    // Before the store is asked for anything: thousands may be begun at once.
    return await webhookTurns.run(webhookId, async () => {
      if (stopped()) return clock.now();
      return await deliverLane(services, space, { deliveryId: subject, stopped });
    });
  },
};

/** Resolves to when it goes on; null where nothing is left to do. */
async function deliverLane(
  services: DeliverServices,
  projectId: Id,
  { deliveryId, stopped }: { readonly deliveryId: Id; stopped(): boolean },
): Promise<number | null> {
  const { clock, webhookTurns } = services;
  const lane = await webhookTurns.read(() => laneOf(services, projectId, deliveryId));
  if (lane === null) return null;
  for (;;) {
    if (stopped()) return clock.now();
    const next = await webhookTurns.read(() => takeNext(services, projectId, lane));
    if (!("delivery" in next)) return next.goesOnAt;
    const goesOnAt = await deliver(services, projectId, next);
    if (goesOnAt !== null) return goesOnAt;
  }
}

/** Of a message that waits; null where it does not any more. */
async function laneOf(
  services: DeliverServices,
  projectId: Id,
  deliveryId: Id,
): Promise<string | null> {
  // Asked for a project that is gone, an engine would make its space anew.
  if (!await isInUse(services, projectId)) return null;
  const found = await services.engine.records<DeliveryRecord>(projectId, DELIVERIES)
    .get(deliveryId);
  return found?.value.state === "queued" ? found.value.lane : null;
}

interface Taken {
  readonly delivery: DeliveryRecord;
  readonly webhook: WebhookRecord;
}

/** The oldest of a lane, taken; or when it goes on, null where nothing is left. */
async function takeNext(
  services: DeliverServices,
  projectId: Id,
  lane: string,
): Promise<Taken | { readonly goesOnAt: number | null }> {
  const { engine, clock } = services;
  const deliveries = engine.records<DeliveryRecord>(projectId, DELIVERIES);
  for (;;) {
    const page = await deliveries.list({
      filter: and(eq("lane", lane), eq("state", "queued")),
      sort: [{ path: "position", descending: false }],
      limit: 1,
    });
    const [oldest] = page.records();
    if (oldest === undefined) return { goesOnAt: null };
    if (oldest.dueAt > timestamp(clock)) return { goesOnAt: Date.parse(oldest.dueAt) };
    const delivery = await take(services, projectId, oldest._id);
    if (delivery === null) {
      const now = (await deliveries.get(oldest._id))?.value;
      const claimedUntil = now?.state === "queued" ? now.claimedUntil : null;
      if (claimedUntil === null) continue;
      return { goesOnAt: Date.parse(claimedUntil) };
    }
    const webhook = await engine.records<WebhookRecord>(projectId, WEBHOOKS)
      .get(delivery.webhookId);
    if (webhook?.value.isEnabled) return { delivery, webhook: webhook.value };
    const error = webhook === null ? "The webhook is deleted." : "The webhook is off.";
    await end(deliveries, services, { delivery, change: { state: "failed", error } });
  }
}

/** Sends what is taken; resolves to when it goes on, null where the next one may be taken at once. */
async function deliver(
  services: DeliverServices,
  projectId: Id,
  { delivery, webhook }: Taken,
): Promise<number | null> {
  const { engine, webhookTurns } = services;
  const message = { id: messageId(delivery._id), body: delivery.body };
  const result = await sendSigned(services, { projectId, webhook }, message);
  webhookTurns.heard(webhook._id, result.status !== null);
  if (!isSuccess(result)) return await retry(services, projectId, { webhook, delivery, result });
  const deliveries = engine.records<DeliveryRecord>(projectId, DELIVERIES);
  await end(deliveries, services, { delivery, change: { state: "delivered", ...result } });
  return null;
}

/** Of many at once one takes it; null for the others, and where it is not to be sent. */
async function take(
  { engine, clock }: DeliverServices,
  projectId: Id,
  deliveryId: Id,
): Promise<DeliveryRecord | null> {
  const now = timestamp(clock);
  const free = or(eq("claimedUntil", null), compare("claimedUntil", "lte", now));
  const claimedUntil = new Date(clock.now() + CLAIM_MS).toISOString();
  const taken = await engine.records<DeliveryRecord>(projectId, DELIVERIES).updateOne(
    and(eq("_id", deliveryId), eq("state", "queued"), compare("dueAt", "lte", now), free),
    { set: { claimedUntil }, increment: { tries: 1 } },
  );
  return taken?.value ?? null;
}

/** As long as nobody else has taken it since, or has queued it anew. */
const its = ({ _id, tries, claimedUntil }: DeliveryRecord): Filter =>
  and(
    eq("_id", _id),
    eq("state", "queued"),
    eq("tries", tries),
    eq("claimedUntil", claimedUntil),
  );

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
  const set = { ...change, claimedUntil: null, endedAt: timestamp(clock) };
  return await deliveries.updateOne(its(delivery), { set }) !== null;
}

/** Resolves to when it is tried next; null where it is given up, and the owner told. */
async function retry(
  services: DeliverServices,
  projectId: Id,
  { webhook, delivery, result }: {
    readonly webhook: WebhookRecord;
    readonly delivery: DeliveryRecord;
    readonly result: SendResult;
  },
): Promise<number | null> {
  const { engine, clock, webhookRunner } = services;
  const isGone = result.status === GONE;
  const pause = isGone ? undefined : PAUSES_MS[delivery.tries - 1];
  if (pause !== undefined) {
    const next = clock.now() + pause;
    const set = { ...result, claimedUntil: null, dueAt: new Date(next).toISOString() };
    await engine.records<DeliveryRecord>(projectId, DELIVERIES).updateOne(its(delivery), { set });
    return next;
  }
  const jobs = await engine.transaction(projectId, async (tx) => {
    const change = { state: "failed" as const, ...result };
    const deliveries = tx.records<DeliveryRecord>(DELIVERIES);
    if (!await end(deliveries, services, { delivery, change })) return [];
    if (isGone) await switchOff(tx, services, webhook);
    return await tellOwner(tx, services, webhook._id);
  });
  for (const job of jobs) webhookRunner.begin(projectId, job);
  return null;
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
  return await enqueue(tx, services, noted, { kind: TELL_OWNER_JOB, isClaimed: true });
}

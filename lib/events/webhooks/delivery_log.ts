import { type Clock, timestamp } from "../../clock.ts";
import type { NewId } from "../../ids.ts";
import type { JobQueue, JobRecord } from "../../jobs/jobs.ts";
import { WEBHOOK_BODY_MS, WEBHOOK_LOG_MS, WEBHOOK_REPLAY_MAX } from "../../limits.ts";
import type { Cursors } from "../../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../../paging/record_page.ts";
import { Problem } from "../../problems.ts";
import { and, compare, eq, within } from "../../store/filter.ts";
import type { Engine, Id } from "../../store/port.ts";
import { enqueueDeliveryJobs } from "./deliveries.ts";
import { findWebhook } from "./manage.ts";
import { DELIVERIES, type DeliveryRecord, type DeliveryState, ENDED } from "./records.ts";
import type { WebhookPath } from "./signatures.ts";

/** A message to a webhook and the result of its last try. */
export interface DeliverySummary {
  readonly id: Id;
  readonly type: string;
  readonly state: DeliveryState;
  readonly tries: number;
  /** Time of the next try; null if the delivery has ended. */
  readonly nextTryAt: string | null;
  readonly status: number | null;
  readonly durationMs: number | null;
  /** The beginning of the response to the last try; null if there was no response. */
  readonly answer: string | null;
  readonly error: string | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
}

/** A delivery with its body. The body is null if it is no longer stored. */
export interface DeliveryWithBody extends DeliverySummary {
  readonly body: string | null;
}

interface LogServices {
  readonly engine: Engine;
  readonly cursors: Cursors;
}

const deliveriesOf = ({ engine }: Pick<LogServices, "engine">, projectId: Id) =>
  engine.records<DeliveryRecord>(projectId, DELIVERIES);

/** Lists a webhook's messages, newest first. Throws `WEBHOOK_NOT_FOUND` and `INVALID_CURSOR`. */
export async function listDeliveries(
  services: LogServices,
  { projectId, webhookId }: WebhookPath,
  request: PageRequest,
): Promise<RecordPage<DeliverySummary>> {
  await findWebhook(services, projectId, webhookId);
  const asked = eq("webhookId", webhookId);
  const list = { space: projectId, definition: DELIVERIES, filter: asked };
  const { items, nextCursor } = await readPage<DeliveryRecord>(services, list, request);
  return { items: items.map(deliverySummary), nextCursor };
}

export interface DeliveryPath extends WebhookPath {
  readonly deliveryId: Id;
}

/** Returns a delivery with its body. Throws `WEBHOOK_NOT_FOUND` and `DELIVERY_NOT_FOUND`. */
export async function getDelivery(
  services: Pick<LogServices, "engine">,
  { projectId, webhookId, deliveryId }: DeliveryPath,
): Promise<DeliveryWithBody> {
  await findWebhook(services, projectId, webhookId);
  const found = (await deliveriesOf(services, projectId).get(deliveryId))?.value;
  if (found?.webhookId !== webhookId) throw new Problem("DELIVERY_NOT_FOUND");
  return { ...deliverySummary(found), body: found.body };
}

const deliverySummary = (
  { _id, type, state, tries, dueAt, status, durationMs, answer, error, createdAt, endedAt }:
    DeliveryRecord,
): DeliverySummary => ({
  id: _id,
  type,
  state,
  tries,
  nextTryAt: state === "queued" ? dueAt : null,
  status,
  durationMs,
  answer,
  error,
  createdAt,
  endedAt,
});

interface ReplayServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly jobRunner: JobQueue;
}

/**
 * Sends a message again under its `webhook-id`, with all tries; now if it waits. Throws
 * `WEBHOOK_NOT_FOUND`, `WEBHOOK_OFF`, and `DELIVERY_NOT_FOUND`, also if the body is not stored.
 */
export async function replayDelivery(
  services: ReplayServices,
  { projectId, webhookId, deliveryId }: DeliveryPath,
): Promise<DeliverySummary> {
  await assertEnabled(services, { projectId, webhookId });
  const ofWebhook = { webhookId, ids: [deliveryId] };
  const [queued] = await requeue(services, projectId, ofWebhook);
  if (queued === undefined) {
    await getDelivery(services, { projectId, webhookId, deliveryId });
    throw new Problem("DELIVERY_NOT_FOUND", {
      message: "The body of this message is not kept any more, so it cannot be sent again: those " +
        "of delivered messages are kept for a day.",
    });
  }
  return deliverySummary(queued);
}

export interface ReplayResult {
  readonly replayed: number;
  /** The `since` of the next request; null if all messages were replayed. */
  readonly nextSince: string | null;
}

const REPLAY_BATCH_MAX = 100;

/** Replays messages since a time, oldest first. Throws `WEBHOOK_NOT_FOUND` and `WEBHOOK_OFF`. */
export async function replayDeliveries(
  services: ReplayServices,
  { projectId, webhookId }: WebhookPath,
  since: string,
): Promise<ReplayResult> {
  await assertEnabled(services, { projectId, webhookId });
  const found: { readonly id: Id; readonly at: string }[] = [];
  const records = deliveriesOf(services, projectId).find({
    filter: and(eq("webhookId", webhookId), compare("createdAt", "gte", since)),
    sort: [{ path: "createdAt", descending: false }],
    limit: WEBHOOK_REPLAY_MAX + 1,
  });
  for await (const { _id, createdAt } of records) found.push({ id: _id, at: createdAt });
  const nextSince = found[WEBHOOK_REPLAY_MAX]?.at ?? null;
  const ids = found.slice(0, WEBHOOK_REPLAY_MAX).map(({ id }) => id);
  let replayed = 0;
  for (let at = 0; at < ids.length; at += REPLAY_BATCH_MAX) {
    const ofWebhook = { webhookId, ids: ids.slice(at, at + REPLAY_BATCH_MAX), onlyEnded: true };
    replayed += (await requeue(services, projectId, ofWebhook)).length;
  }
  return { replayed, nextSince };
}

async function assertEnabled(
  services: ReplayServices,
  { projectId, webhookId }: WebhookPath,
): Promise<void> {
  const { isEnabled } = await findWebhook(services, projectId, webhookId);
  if (!isEnabled) throw new Problem("WEBHOOK_OFF");
}

/** Queues messages again and returns the ones that were queued. */
async function requeue(
  services: ReplayServices,
  projectId: Id,
  { webhookId, ids, onlyEnded = false }: {
    readonly webhookId: Id;
    readonly ids: readonly Id[];
    readonly onlyEnded?: boolean;
  },
): Promise<DeliveryRecord[]> {
  const { engine, clock, jobRunner } = services;
  const expiresAt = new Date(clock.now() + WEBHOOK_LOG_MS).toISOString();
  const set = {
    bodyUntil: new Date(clock.now() + WEBHOOK_BODY_MS).toISOString(),
    state: "queued",
    tries: 0,
    dueAt: timestamp(clock),
    claimedBy: null,
    endedAt: null,
    expiresAt,
  };
  await jobRunner.announce(projectId);
  let jobs: JobRecord[] = [];
  const queued = await engine.transaction(projectId, async (tx) => {
    const deliveries: DeliveryRecord[] = [];
    for (const id of ids) {
      const which = and(eq("_id", id), eq("webhookId", webhookId));
      const ended = and(which, within("state", ENDED));
      const records = tx.records<DeliveryRecord>(DELIVERIES);
      if ((await records.get(id))?.value.body === null) continue;
      const changed = await records.updateOne(onlyEnded ? ended : which, { set });
      if (changed !== null) deliveries.push(changed.value);
    }
    jobs = deliveries.length === 0 ? [] : await enqueueDeliveryJobs(tx, services, deliveries);
    return deliveries;
  });
  for (const job of jobs) jobRunner.begin(projectId, job);
  return queued;
}

import { type Clock, timestamp } from "../../clock.ts";
import type { NewId } from "../../ids.ts";
import type { JobQueue, JobRecord } from "../../jobs/jobs.ts";
import { WEBHOOK_BODY_MS, WEBHOOK_LOG_MS, WEBHOOK_REPLAY_MAX } from "../../limits.ts";
import type { Cursors } from "../../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../../paging/record_page.ts";
import { Problem } from "../../problems.ts";
import { and, compare, eq, within } from "../../store/filter.ts";
import type { Engine, Id } from "../../store/port.ts";
import { enqueueSendings } from "./deliveries.ts";
import { findWebhook } from "./manage.ts";
import { DELIVERIES, type DeliveryRecord, type DeliveryState, ENDED } from "./records.ts";
import type { WebhookPlace } from "./signatures.ts";

/** A message to a webhook, and what came of it. */
export interface ShownDelivery {
  readonly id: Id;
  readonly type: string;
  readonly state: DeliveryState;
  readonly tries: number;
  /** When it is tried next; null where it is not. */
  readonly nextTryAt: string | null;
  readonly status: number | null;
  readonly durationMs: number | null;
  /** The beginning of what the last try was answered; null where there was no answer. */
  readonly answer: string | null;
  readonly error: string | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
}

/** A delivery with the body that is sent; the body is null when it is no longer kept. */
export interface WholeDelivery extends ShownDelivery {
  readonly body: string | null;
}

interface LogServices {
  readonly engine: Engine;
  readonly cursors: Cursors;
}

const deliveriesOf = ({ engine }: Pick<LogServices, "engine">, projectId: Id) =>
  engine.records<DeliveryRecord>(projectId, DELIVERIES);

/** A page of a webhook's messages, the newest first. Throws `WEBHOOK_NOT_FOUND`, `INVALID_CURSOR`. */
export async function listDeliveries(
  services: LogServices,
  { projectId, webhookId }: WebhookPlace,
  request: PageRequest,
): Promise<RecordPage<ShownDelivery>> {
  await findWebhook(services, projectId, webhookId);
  const asked = eq("webhookId", webhookId);
  const list = { space: projectId, definition: DELIVERIES, asked };
  const { items, nextCursor } = await readPage<DeliveryRecord>(services, list, request);
  return { items: items.map(shownDelivery), nextCursor };
}

export interface DeliveryPlace extends WebhookPlace {
  readonly deliveryId: Id;
}

/** Throws `WEBHOOK_NOT_FOUND` and `DELIVERY_NOT_FOUND`. */
export async function getDelivery(
  services: Pick<LogServices, "engine">,
  { projectId, webhookId, deliveryId }: DeliveryPlace,
): Promise<WholeDelivery> {
  await findWebhook(services, projectId, webhookId);
  const found = (await deliveriesOf(services, projectId).get(deliveryId))?.value;
  if (found?.webhookId !== webhookId) throw new Problem("DELIVERY_NOT_FOUND");
  return { ...shownDelivery(found), body: found.body };
}

const shownDelivery = (
  { _id, type, state, tries, dueAt, status, durationMs, answer, error, createdAt, endedAt }:
    DeliveryRecord,
): ShownDelivery => ({
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
 * Sends a message once more, under its `webhook-id`, with tries of its own; one that waits for its
 * next try is tried now. Throws `WEBHOOK_NOT_FOUND`, `DELIVERY_NOT_FOUND`, also where
 * the body is no longer kept, and `WEBHOOK_OFF`.
 */
export async function replayDelivery(
  services: ReplayServices,
  { projectId, webhookId, deliveryId }: DeliveryPlace,
): Promise<ShownDelivery> {
  await findEnabled(services, { projectId, webhookId });
  const ofWebhook = { webhookId, ids: [deliveryId] };
  const [queued] = await queueAnew(services, projectId, ofWebhook);
  if (queued === undefined) {
    await getDelivery(services, { projectId, webhookId, deliveryId });
    throw new Problem("DELIVERY_NOT_FOUND", {
      message: "The body of this message is not kept any more, so it cannot be sent again: those " +
        "of delivered messages are kept for a day.",
    });
  }
  return shownDelivery(queued);
}

export interface Replayed {
  readonly replayed: number;
  /** Where the next request goes on; null where there is nothing left. */
  readonly nextSince: string | null;
}

const STEP = 100;

/**
 * The same of all messages since a time that have a body and do not wait already, the oldest first,
 * no more than `WEBHOOK_REPLAY_MAX`. Throws `WEBHOOK_NOT_FOUND` and `WEBHOOK_OFF`.
 */
export async function replayDeliveries(
  services: ReplayServices,
  { projectId, webhookId }: WebhookPlace,
  since: string,
): Promise<Replayed> {
  await findEnabled(services, { projectId, webhookId });
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
  for (let at = 0; at < ids.length; at += STEP) {
    const ofWebhook = { webhookId, ids: ids.slice(at, at + STEP), onlyEnded: true };
    replayed += (await queueAnew(services, projectId, ofWebhook)).length;
  }
  return { replayed, nextSince };
}

async function findEnabled(
  services: ReplayServices,
  { projectId, webhookId }: WebhookPlace,
): Promise<void> {
  const { isEnabled } = await findWebhook(services, projectId, webhookId);
  if (!isEnabled) throw new Problem("WEBHOOK_OFF");
}

/** Resolves to those that are queued by it, as they are then. */
async function queueAnew(
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
    jobs = deliveries.length === 0 ? [] : await enqueueSendings(tx, services, deliveries);
    return deliveries;
  });
  for (const job of jobs) jobRunner.begin(projectId, job);
  return queued;
}

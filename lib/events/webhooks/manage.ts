import { type Clock, timestamp } from "../../clock.ts";
import type { KeyRing } from "../../crypto/key_ring.ts";
import { hashedId } from "../../crypto/hashes.ts";
import { collectionNames, type CollectionRecord, COLLECTIONS } from "../../documents/catalog.ts";
import type { Egress } from "../../http/egress.ts";
import type { NewId } from "../../ids.ts";
import type { JobQueue } from "../../jobs/jobs.ts";
import { WEBHOOK_OVERLAP_MS } from "../../limits.ts";
import type { Cursors } from "../../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../../paging/record_page.ts";
import { Problem } from "../../problems.ts";
import type { Plans } from "../../projects/plans.ts";
import { ALL, eq, within } from "../../store/filter.ts";
import type { ChangePosition, Engine, Id, Transaction } from "../../store/port.ts";
import { didYouMean } from "../../text/nearest.ts";
import {
  USERS_NAME,
  WEBHOOK_COUNTS,
  type WebhookCountRecord,
  type WebhookEvents,
  type WebhookRecord,
  WEBHOOKS,
} from "./records.ts";
import { beginTelling } from "./tell.ts";
import type { WebhookTeller } from "./teller.ts";
import { newSecret, sealSecret, type WebhookPlace } from "./signatures.ts";

/** A webhook as its contract has read it. */
export interface WebhookInput {
  readonly name: string;
  readonly url: string;
  readonly events: WebhookEvents;
  readonly enabled?: boolean | undefined;
}

export interface NewWebhook extends WebhookInput {
  /** What its receiver knows from another deployment; a new one if left out. */
  readonly secret?: string | undefined;
}

/** What is given of a webhook; what is left out stays as it is. */
export type WebhookChange = { readonly [K in keyof WebhookInput]?: WebhookInput[K] | undefined };

/** What is told of a webhook: nothing of its secret. */
export interface ShownWebhook {
  readonly id: Id;
  readonly name: string;
  readonly url: string;
  readonly events: WebhookEvents;
  readonly enabled: boolean;
  /** Why Corbel has switched it off; null where it has not. */
  readonly offBecause: string | null;
  /** Until when messages are signed with the secret before, too; null where they are not. */
  readonly formerSecretUntil: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** With its secret, which is shown this once. */
export interface WebhookWithSecret extends ShownWebhook {
  readonly secret: string;
}

interface WebhookStore {
  readonly engine: Engine;
  readonly clock: Clock;
}

interface WebhookServices extends WebhookStore {
  readonly jobRunner: JobQueue;
  readonly webhookTeller: Pick<WebhookTeller, "forget">;
  readonly egress: Pick<Egress, "admits">;
  readonly config: { readonly allowPrivateEndpoints: boolean };
}

interface CreateServices extends WebhookServices {
  readonly keyRing: KeyRing;
  readonly newId: NewId;
  readonly plans: Plans;
}

const webhooksOf = ({ engine }: Pick<WebhookStore, "engine">, projectId: Id) =>
  engine.records<WebhookRecord>(projectId, WEBHOOKS);

const THE_COUNT = hashedId("webhooks");

/**
 * Of many at once no more are made than the plan allows. Throws `INVALID_INPUT` for an address that
 * cannot be used and for collections that there are not, and `PLAN_LIMIT_REACHED`.
 */
export async function createWebhook(
  services: CreateServices,
  projectId: Id,
  { name, url, events, enabled = true, secret = newSecret() }: NewWebhook,
): Promise<WebhookWithSecret> {
  checkAddress(services, url);
  const { name: plan, webhooks: max } = await services.plans.of(projectId);
  const _id = services.newId();
  const now = timestamp(services.clock);
  const record: WebhookRecord = {
    _id,
    name,
    url,
    events,
    isEnabled: enabled,
    offBecause: null,
    sealedSecret: await sealSecret(services, { projectId, webhookId: _id }, secret),
    sealedFormerSecret: null,
    formerUntil: null,
    toldAt: null,
    createdAt: now,
    updatedAt: now,
  };
  await ensureCount(services, projectId);
  await switching(services, projectId, async (tx, position) => {
    if (enabled) await beginTelling(tx, services, position);
    await checkCollections(tx, events);
    // What is counted after this still holds when the transaction commits.
    await tx.records<WebhookCountRecord>(WEBHOOK_COUNTS)
      .updateOne(eq("_id", THE_COUNT), { increment: { added: 1 } });
    const webhooks = tx.records<WebhookRecord>(WEBHOOKS);
    if (await webhooks.count(ALL) >= max) {
      throw new Problem("PLAN_LIMIT_REACHED", {
        message: `The ${plan} plan allows ${max} webhooks in a project: delete one first.`,
      });
    }
    await webhooks.insert(record);
  });
  return { ...shownWebhook(record, now), secret };
}

/** A transaction that may switch a webhook on; it is told of what is changed from this position on. */
async function switching<T>(
  { engine, jobRunner, webhookTeller }: WebhookServices,
  projectId: Id,
  change: (tx: Transaction, position: ChangePosition) => Promise<T>,
): Promise<T> {
  const position = await engine.changes.head(projectId);
  await jobRunner.announce(projectId);
  const result = await engine.transaction(projectId, (tx) => change(tx, position));
  webhookTeller.forget(projectId);
  return result;
}

async function ensureCount({ engine }: WebhookStore, projectId: Id): Promise<void> {
  const counts = engine.records<WebhookCountRecord>(projectId, WEBHOOK_COUNTS);
  if (await counts.get(THE_COUNT) !== null) return;
  await counts.upsert(eq("_id", THE_COUNT), {}, { _id: THE_COUNT, added: 0 });
}

/** A page of a project's webhooks, the newest first. Throws `INVALID_CURSOR`. */
export async function listWebhooks(
  services: WebhookStore & { readonly cursors: Cursors },
  projectId: Id,
  request: PageRequest,
): Promise<RecordPage<ShownWebhook>> {
  const list = { space: projectId, definition: WEBHOOKS };
  const { items, nextCursor } = await readPage<WebhookRecord>(services, list, request);
  const now = timestamp(services.clock);
  return { items: items.map((webhook) => shownWebhook(webhook, now)), nextCursor };
}

/** Throws `WEBHOOK_NOT_FOUND`. */
export async function findWebhook(
  services: Pick<WebhookStore, "engine">,
  projectId: Id,
  webhookId: Id,
): Promise<WebhookRecord> {
  const found = await webhooksOf(services, projectId).get(webhookId);
  if (found === null) throw new Problem("WEBHOOK_NOT_FOUND");
  return found.value;
}

/** Throws `WEBHOOK_NOT_FOUND`. */
export async function getWebhook(
  services: WebhookStore,
  projectId: Id,
  webhookId: Id,
): Promise<ShownWebhook> {
  const webhook = await findWebhook(services, projectId, webhookId);
  return shownWebhook(webhook, timestamp(services.clock));
}

/** Throws `INVALID_INPUT`, as {@linkcode createWebhook} does, and `WEBHOOK_NOT_FOUND`. */
export async function updateWebhook(
  services: WebhookServices,
  { projectId, webhookId }: WebhookPlace,
  { name, url, events, enabled }: WebhookChange,
): Promise<ShownWebhook> {
  if (url !== undefined) checkAddress(services, url);
  const now = timestamp(services.clock);
  const set = {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events }),
    ...(enabled !== undefined && { isEnabled: enabled, offBecause: null }),
    updatedAt: now,
  };
  return await switching(services, projectId, async (tx, position) => {
    const changed = await tx.records<WebhookRecord>(WEBHOOKS)
      .updateOne(eq("_id", webhookId), { set });
    if (changed === null) throw new Problem("WEBHOOK_NOT_FOUND");
    if (enabled) await beginTelling(tx, services, position);
    if (events !== undefined) await checkCollections(tx, events);
    return shownWebhook(changed.value, now);
  });
}

/** What waits for it is not sent any more. Throws `WEBHOOK_NOT_FOUND`. */
export async function deleteWebhook(
  services: Pick<WebhookStore, "engine">,
  { projectId, webhookId }: WebhookPlace,
): Promise<void> {
  const deleted = await webhooksOf(services, projectId).deleteOne(eq("_id", webhookId));
  if (deleted === null) throw new Problem("WEBHOOK_NOT_FOUND");
}

/**
 * Gives it another secret. For a day messages are signed with the one before as well; a secret
 * before that holds no longer. Throws `WEBHOOK_NOT_FOUND`.
 */
export async function rotateWebhookSecret(
  services: WebhookStore & { readonly keyRing: KeyRing },
  { projectId, webhookId }: WebhookPlace,
): Promise<WebhookWithSecret> {
  const { engine, clock } = services;
  const secret = newSecret();
  const sealedSecret = await sealSecret(services, { projectId, webhookId }, secret);
  const now = timestamp(clock);
  const formerUntil = new Date(clock.now() + WEBHOOK_OVERLAP_MS).toISOString();
  const rotated = await engine.transaction(projectId, async (tx) => {
    const webhooks = tx.records<WebhookRecord>(WEBHOOKS);
    const found = await webhooks.get(webhookId);
    if (found === null) throw new Problem("WEBHOOK_NOT_FOUND");
    const sealedFormerSecret = found.value.sealedSecret;
    const set = { sealedSecret, sealedFormerSecret, formerUntil, updatedAt: now };
    return (await webhooks.updateOne(eq("_id", webhookId), { set }))!.value; // Read in this one.
  });
  return { ...shownWebhook(rotated, now), secret };
}

const refuse = (message: string): never => {
  throw new Problem("INVALID_INPUT", { message });
};

/** Names that only ever lead to this machine (RFC 6761). */
const LOCALHOST = /^(?:.*\.)?localhost\.?$/;

/** Of an address nothing is repeated: it may have a password in it. */
function checkAddress({ egress, config }: WebhookServices, text: string): void {
  const url = URL.parse(text);
  const isHttp = url?.protocol === "http:";
  if (url === null || (url.protocol !== "https:" && !isHttp)) {
    return refuse('"url" must be an address that begins with https://.');
  }
  if (url.username !== "" || url.password !== "") {
    return refuse(
      '"url" must have no user and no password in it: verify the signature of what is sent.',
    );
  }
  if (isHttp && !config.allowPrivateEndpoints) {
    return refuse(
      '"url" must begin with https:// (ALLOW_PRIVATE_ENDPOINTS=true permits http://, for local ' +
        "development).",
    );
  }
  const host = LOCALHOST.test(url.hostname) ? "127.0.0.1" : url.hostname;
  if (!egress.admits(host)) {
    refuse(
      '"url" must not lead to an address in a private network (ALLOW_PRIVATE_ENDPOINTS=true ' +
        "permits it).",
    );
  }
}

async function checkCollections(tx: Transaction, events: WebhookEvents): Promise<void> {
  const names = Object.keys(events).filter((name) => name !== USERS_NAME);
  const known = new Set<string>();
  const records = tx.records<CollectionRecord>(COLLECTIONS);
  const lower = names.map((name) => name.toLowerCase());
  for await (const { name } of records.find({ filter: within("nameLower", lower) })) {
    known.add(name);
  }
  const missing = names.find((name) => !known.has(name));
  if (missing === undefined) return;
  const hint = didYouMean(missing, await collectionNames(records));
  refuse(`"events" names "${missing}", and there is no such collection: create it first.${hint}`);
}

export const shownWebhook = (
  { _id, name, url, events, isEnabled, offBecause, formerUntil, createdAt, updatedAt }:
    WebhookRecord,
  now: string,
): ShownWebhook => ({
  id: _id,
  name,
  url,
  events,
  enabled: isEnabled,
  offBecause,
  formerSecretUntil: formerUntil !== null && formerUntil > now ? formerUntil : null,
  createdAt,
  updatedAt,
});

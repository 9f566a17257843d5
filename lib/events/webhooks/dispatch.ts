import { USER_EVENTS, type UserEventRecord } from "../../auth/user_events.ts";
import { hashedId } from "../../crypto/hashes.ts";
import type { NewId } from "../../ids.ts";
import {
  type JobKind,
  type JobQueue,
  type JobRecord,
  jobRecord,
  JOBS,
  type JobServices,
} from "../../jobs/jobs.ts";
import type { Plans } from "../../projects/plans.ts";
import { isInUse } from "../../projects/projects.ts";
import { PositionLost } from "../../store/errors.ts";
import { and, compare, eq } from "../../store/filter.ts";
import { jsonText, parseJson } from "../../store/json_text.ts";
import type { ChangePosition, Id, Json, PositionedChange, Transaction } from "../../store/port.ts";
import { enabledWebhooks, enabledWebhooksIn, enqueueDeliveries } from "./deliveries.ts";
import { messageByteQuota } from "./stored_bodies.ts";
import type { WebhookEventChange } from "./records.ts";
import { field, recordKind, type RecordOf } from "../../store/record_kind.ts";

/** Position of the last dispatched change, stored while the project has enabled webhooks. */
export const DISPATCH_POSITION = recordKind({
  name: "_webhookPosition",
  fields: { position: field.oneOf<ChangePosition>() },
  indexes: [],
  trash: false,
});

export type DispatchPositionRecord = RecordOf<typeof DISPATCH_POSITION>;

export const POSITION_ID = hashedId("webhook position");
const JOB_ID = hashedId("tell webhooks");

export interface DispatchServices extends JobServices {
  readonly plans: Plans;
  readonly newId: NewId;
  readonly jobRunner: JobQueue;
}

/** Interval between two checks for changes that were not dispatched. */
const CHECK_INTERVAL_MS = 30_000;

/** Dispatches changes that a killed process did not get to, while a webhook is enabled. */
export const DISPATCH_CHANGES: JobKind<DispatchServices> = {
  name: "tellWebhooks",
  atOnce: 1,
  isDueAfterDeath: true,
  async run(services, space) {
    // Reading from a deleted project would create its space again.
    if (space === "control" || !await isInUse(services, space)) return null;
    const { engine, clock } = services;
    const { webhooks } = await enabledWebhooks(services, space);
    if (webhooks.length > 0) {
      const upTo = await dispatchChanges(services, space);
      // Moves the position past changes that no webhook receives, so that they are read only once.
      if (upTo !== null) {
        await engine.records<DispatchPositionRecord>(space, DISPATCH_POSITION)
          .updateOne(and(eq("_id", POSITION_ID), compare("position", "lt", upTo)), {
            set: { position: upTo },
          });
      }
      return clock.now() + CHECK_INTERVAL_MS;
    }
    await engine.records(space, DISPATCH_POSITION).deleteOne(eq("_id", POSITION_ID));
    return null;
  },
};

/** Starts after `position`, in the transaction that enables a webhook in an announced space. */
export async function beginDispatch(
  tx: Transaction,
  { clock }: Pick<DispatchServices, "clock">,
  position: ChangePosition,
): Promise<void> {
  const positions = tx.records<DispatchPositionRecord>(DISPATCH_POSITION);
  if (await positions.get(POSITION_ID) === null) {
    await positions.insert({ _id: POSITION_ID, position });
  }
  const jobs = tx.records<JobRecord>(JOBS);
  if (await jobs.get(JOB_ID) !== null) return;
  const { name: kind } = DISPATCH_CHANGES;
  await jobs.insert(jobRecord(clock, JOB_ID, { kind, subject: kind, lane: kind }));
}

/** Dispatches each change once, also concurrently. Returns the new position; null if disabled. */
export async function dispatchChanges(
  services: DispatchServices,
  projectId: Id,
): Promise<ChangePosition | null> {
  const { engine, log } = services;
  const positions = engine.records<DispatchPositionRecord>(projectId, DISPATCH_POSITION);
  for (;;) {
    const found = await positions.get(POSITION_ID);
    if (found === null) return null;
    const { position } = found.value;
    try {
      const upTo = await dispatchAfter(services, projectId, position);
      if (upTo !== null) return upTo;
    } catch (error) {
      if (!(error instanceof PositionLost)) throw error;
      log.write("error", "Changes were too old to be delivered to webhooks", {
        project: projectId,
      });
      const head = await engine.changes.head(projectId);
      await positions.updateOne(and(eq("_id", POSITION_ID), eq("position", position)), {
        set: { position: head },
      });
    }
  }
}

/** Limits of a batch that is dispatched in one transaction. */
const BATCH_CHANGES_MAX = 100;
const BATCH_CHARACTERS_MAX = 4_000_000;

/** Dispatches the changes after a position. Null if another process dispatched any of them. */
async function dispatchAfter(
  services: DispatchServices,
  projectId: Id,
  position: ChangePosition,
): Promise<ChangePosition | null> {
  const { engine, jobRunner } = services;
  await using feed = engine.changes.follow(projectId, position);
  let changes: PositionedChange[] = [];
  let length = 0;
  for await (const batch of feed) {
    const { upTo } = batch;
    const isLast = batch.changes.length === 0;
    changes.push(...batch.changes);
    length += batch.changes.reduce((sum, change) => sum + lengthOf(change), 0);
    if (!isLast && changes.length < BATCH_CHANGES_MAX && length < BATCH_CHARACTERS_MAX) continue;
    if (changes.length > 0) {
      const jobs = await dispatchBatch(services, { projectId, position, upTo, changes });
      if (jobs === null) return null;
      for (const job of jobs) jobRunner.begin(projectId, job);
      position = upTo;
    }
    if (isLast) return upTo;
    [changes, length] = [[], 0];
  }
  return position;
}

const lengthOf = ({ before, after }: PositionedChange): number =>
  (before?.length ?? 0) + (after?.length ?? 0);

/** Enqueues and moves the position in one transaction; null if another process has moved it. */
async function dispatchBatch(
  services: DispatchServices,
  { projectId, position, upTo, changes }: {
    readonly projectId: Id;
    readonly position: ChangePosition;
    readonly upTo: ChangePosition;
    readonly changes: readonly PositionedChange[];
  },
): Promise<JobRecord[] | null> {
  await services.jobRunner.announce(projectId);
  const quota = await messageByteQuota(services, projectId);
  return await services.engine.transaction(projectId, async (tx) => {
    const moved = await tx.records<DispatchPositionRecord>(DISPATCH_POSITION)
      .updateOne(and(eq("_id", POSITION_ID), eq("position", position)), {
        set: { position: upTo },
      });
    if (moved === null) return null;
    const audience = await enabledWebhooksIn(tx, projectId);
    const events = { changes: changes.flatMap(webhookEvents), quota };
    return await enqueueDeliveries(tx, services, audience, events);
  });
}

/** Returns the change of a document, or the event that the change of a user event record stores. */
function webhookEvents(change: PositionedChange): WebhookEventChange[] {
  if (change.name !== USER_EVENTS.recordedAs) return [change];
  if (change.action !== "created") return [];
  // As it was stored.
  const { event, document, previous } = parseJson(change.after!) as UserEventRecord;
  const text = (user: Json) => user === null ? null : jsonText(user);
  return [{
    ...change,
    action: event === "deleted" ? "removed" : event,
    before: text(previous),
    after: text(document),
  }];
}

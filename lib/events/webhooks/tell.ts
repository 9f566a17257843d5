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
import { enabledWebhooks, enabledWithin, enqueueDeliveries } from "./deliveries.ts";
import { messageRoom } from "./kept_bodies.ts";
import type { ToldChange } from "./records.ts";
import { field, recordKind, type RecordOf } from "../../store/record_kind.ts";

/**
 * Up to which change a project's webhooks are told. In each project's space, one record, as long
 * as it has webhooks that are on.
 */
export const TOLD_UP_TO = recordKind({
  name: "_webhookPosition",
  fields: {
    position: field.textOf<ChangePosition>(),
  },
  indexes: [],
  trash: false,
});

export type ToldUpToRecord = RecordOf<typeof TOLD_UP_TO>;

export const THE_POSITION = hashedId("webhook position");
const THE_JOB = hashedId("tell webhooks");

export interface TellServices extends JobServices {
  readonly plans: Plans;
  readonly newId: NewId;
  readonly jobRunner: JobQueue;
}

/** How often it is looked whether a process has left changes untold. */
const LOOK_MS = 30_000;

/**
 * Looks now and then for changes that are untold: whoever makes one tells it at once, if it is not
 * killed before. Ends where no webhook is on.
 */
export const TELL_WEBHOOKS: JobKind<TellServices> = {
  name: "tellWebhooks",
  atOnce: 1,
  isDueAfterDeath: true,
  async run(services, space) {
    // Asked for a project that is gone, an engine would make its space anew.
    if (space === "control" || !await isInUse(services, space)) return null;
    const { engine, clock } = services;
    const { webhooks } = await enabledWebhooks(services, space);
    if (webhooks.length > 0) {
      const upTo = await tellWebhooks(services, space);
      // So that what others write meanwhile is not gone through each time.
      if (upTo !== null) {
        await engine.records<ToldUpToRecord>(space, TOLD_UP_TO)
          .updateOne(and(eq("_id", THE_POSITION), compare("position", "lt", upTo)), {
            set: { position: upTo },
          });
      }
      return clock.now() + LOOK_MS;
    }
    await engine.records(space, TOLD_UP_TO).deleteOne(eq("_id", THE_POSITION));
    return null;
  },
};

/**
 * In the transaction that switches a webhook on: from this position on changes are told. The space
 * is announced to the runner before.
 */
export async function beginTelling(
  tx: Transaction,
  { clock }: Pick<TellServices, "clock">,
  position: ChangePosition,
): Promise<void> {
  const positions = tx.records<ToldUpToRecord>(TOLD_UP_TO);
  if (await positions.get(THE_POSITION) === null) {
    await positions.insert({ _id: THE_POSITION, position });
  }
  const jobs = tx.records<JobRecord>(JOBS);
  if (await jobs.get(THE_JOB) !== null) return;
  const { name: kind } = TELL_WEBHOOKS;
  await jobs.insert(jobRecord(clock, THE_JOB, { kind, subject: kind, lane: kind }));
}

/**
 * Writes down what a project's webhooks are to be told of all changes that are not told yet, and
 * begins to send it. Any number of processes may do so at once: each change is taken by one.
 * Resolves to up to where all is told; to null where there is no webhook that is on.
 */
export async function tellWebhooks(
  services: TellServices,
  projectId: Id,
): Promise<ChangePosition | null> {
  const { engine, log } = services;
  const positions = engine.records<ToldUpToRecord>(projectId, TOLD_UP_TO);
  for (;;) {
    const found = await positions.get(THE_POSITION);
    if (found === null) return null;
    const { position } = found.value;
    try {
      const upTo = await tellBehind(services, projectId, position);
      if (upTo !== null) return upTo;
    } catch (error) {
      if (!(error instanceof PositionLost)) throw error;
      log.write("error", "Webhooks were not told of changes that are too old", {
        project: projectId,
      });
      const head = await engine.changes.head(projectId);
      await positions.updateOne(and(eq("_id", THE_POSITION), eq("position", position)), {
        set: { position: head },
      });
    }
  }
}

/** Changes that are told in one transaction, or whose texts have so many characters. */
const TOGETHER_MAX = 100;
const TOGETHER_LENGTH_MAX = 4_000_000;

/** Null where another process was faster with one of them. */
async function tellBehind(
  services: TellServices,
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
    if (!isLast && changes.length < TOGETHER_MAX && length < TOGETHER_LENGTH_MAX) continue;
    if (changes.length > 0) {
      const jobs = await takeChanges(services, { projectId, position, upTo, changes });
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

/** All of it or nothing; null where another process has told some of them. */
async function takeChanges(
  services: TellServices,
  { projectId, position, upTo, changes }: {
    readonly projectId: Id;
    readonly position: ChangePosition;
    readonly upTo: ChangePosition;
    readonly changes: readonly PositionedChange[];
  },
): Promise<JobRecord[] | null> {
  await services.jobRunner.announce(projectId);
  const room = await messageRoom(services, projectId);
  return await services.engine.transaction(projectId, async (tx) => {
    const moved = await tx.records<ToldUpToRecord>(TOLD_UP_TO)
      .updateOne(and(eq("_id", THE_POSITION), eq("position", position)), {
        set: { position: upTo },
      });
    if (moved === null) return null;
    const audience = await enabledWithin(tx, projectId);
    const told = { changes: changes.flatMap(toldChanges), room };
    return await enqueueDeliveries(tx, services, audience, told);
  });
}

/** Of a user what their event says, once; of a document the change itself. */
function toldChanges(change: PositionedChange): ToldChange[] {
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

import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import type { Log } from "../runtime/log.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Engine, Filter, Id, Json, Space, Transaction } from "../store/port.ts";
import { field, nullable, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

/**
 * A job: work that follows from a change, written in its transaction and stored until done. A
 * project's queue is in its space, the deployment's in the control space; all processes share them.
 * A job runs twice if its process is killed or loses the store for seconds.
 */
export const JOBS = recordKind({
  name: "_jobs",
  fields: {
    kind: field.text,
    /** The object of the job, such as the id of a delivery. */
    subject: field.text,
    /** The receiver or store that the job depends on. Some kinds have workers for each lane. */
    lane: field.text,
    createdAt: field.date,
    dueAt: field.date,
    /** Id of the process that runs the job; null if it waits. Earlier versions omitted it. */
    claimedBy: nullable(field.oneOf<Id>()),
    /** Number of claims since the job's last success. */
    tries: field.number,
    lastError: nullable(field.text),
    /** Further input of the kind. Earlier versions omitted it. */
    detail: optional(field.undeclared<Json>()),
  },
  indexes: [
    { keys: [{ path: "dueAt", descending: false }] },
    { keys: [{ path: "subject", descending: false }] },
    { keys: ["kind", "lane", "dueAt"].map((path) => ({ path, descending: false })) },
    { keys: ["claimedBy", "dueAt"].map((path) => ({ path, descending: false })) },
  ],
  trash: false,
});

export type JobRecord = RecordOf<typeof JOBS>;

export interface JobServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
}

/** The part of the job runner for code that enqueues jobs. */
export interface JobQueue {
  /**
   * Must resolve before the transaction that enqueues jobs begins. If this process is killed after
   * the commit, another process finds the jobs.
   */
  announce(space: Space): Promise<void>;
  /** Runs a job that a committed transaction enqueued, as soon as its share has a free worker. */
  begin(space: Space, job: JobRecord): void;
  /**
   * Runs matching waiting jobs, due or not, in turn, each at most once. After a failure, leaves the
   * rest of its lane. Resolves to the number of jobs that are done.
   */
  runNow<S extends JobServices>(
    services: S,
    kind: JobKind<S>,
    options: { readonly space: Space; readonly which: Filter; isStopping?(): boolean },
  ): Promise<number>;
}

export interface JobKind<S extends JobServices> {
  readonly name: string;
  /** Maximum number of jobs of one share that a process runs concurrently. */
  readonly atOnce: number;
  /** Whether the jobs of each lane are a share. Otherwise all jobs of a project are one share. */
  readonly hasLaneShares?: true;
  /** Whether jobs of this kind become due immediately when a process has died. */
  readonly isDueAfterDeath?: true;
  /** Resolves to null when done, or to milliseconds since 1970. A job that rejects is retried. */
  run(
    services: S,
    space: Space,
    job: JobRecord,
    isStopping: () => boolean,
  ): Promise<number | null>;
}

const RETRY_MS = 60_000;
const RETRY_MS_MAX = 6 * 3_600_000;
const ERROR_LENGTH_MAX = 500;
/** Largest share of a pause that is added to it. */
const JITTER_SHARE_MAX = 0.1;

export type NewJob = Pick<JobRecord, "subject" | "lane" | "detail">;

/** Enqueues jobs that are due now, in a transaction of their space. */
export async function enqueue(
  tx: Pick<Transaction, "records">,
  { clock, newId }: { readonly clock: Clock; readonly newId: NewId },
  jobs: readonly NewJob[],
  { kind }: Pick<JobRecord, "kind">,
): Promise<JobRecord[]> {
  const records = jobs.map((job) => jobRecord(clock, newId(), { ...job, kind }));
  await tx.records<JobRecord>(JOBS).insertMany(records);
  return records;
}

export function jobRecord(
  clock: Clock,
  _id: Id,
  { kind, subject, lane, detail }: NewJob & Pick<JobRecord, "kind">,
): JobRecord {
  const now = timestamp(clock);
  return {
    _id,
    kind,
    subject,
    lane,
    ...(detail !== undefined && { detail }),
    createdAt: now,
    dueAt: now,
    claimedBy: null,
    tries: 0,
    lastError: null,
  };
}

/** Matches jobs that wait and are due. */
export const isDue = (clock: Clock): Filter =>
  and(eq("claimedBy", null), compare("dueAt", "lte", timestamp(clock)));

/** Returns milliseconds since 1970, spread by a tenth so that jobs do not retry together. */
export function retryTime(clock: Clock, pause: number, id: Id): number {
  const fraction = parseInt(id.slice(-4), 16) / 0xffff;
  return clock.now() + Math.round(pause * (1 + JITTER_SHARE_MAX * fraction));
}

/** Claims a waiting job that matches, or returns null. Concurrent callers get different jobs. */
export async function claimJob(
  { engine }: Pick<JobServices, "engine">,
  space: Space,
  { which, processId }: { readonly which: Filter; readonly processId: Id },
): Promise<JobRecord | null> {
  const claimed = await engine.records<JobRecord>(space, JOBS).updateOne(
    and(which, eq("claimedBy", null)),
    { set: { claimedBy: processId }, increment: { tries: 1 } },
  );
  return claimed?.value ?? null;
}

export async function releaseJob(engine: Engine, space: Space, job: JobRecord): Promise<void> {
  await engine.records<JobRecord>(space, JOBS)
    .updateOne(isStillClaimed(job), { set: { claimedBy: null } });
}

/** Returns all jobs that a dead process had claimed to the queue. */
export async function releaseClaims(engine: Engine, space: Space, processId: Id): Promise<void> {
  const jobs = engine.records<JobRecord>(space, JOBS);
  const theirs = eq("claimedBy", processId);
  while (await jobs.updateOne(theirs, { set: { claimedBy: null } }) !== null);
}

/** Matches a claimed job unless another process has claimed it since. */
const isStillClaimed = ({ _id, tries, claimedBy }: JobRecord): Filter =>
  and(eq("_id", _id), eq("tries", tries), eq("claimedBy", claimedBy));

/** Resolves to null, or the next due time. Rejects if the result is not stored: still claimed. */
export async function runJob<S extends JobServices>(
  services: S,
  kind: JobKind<S>,
  { space, job, isStopping }: {
    readonly space: Space;
    readonly job: JobRecord;
    isStopping(): boolean;
  },
): Promise<string | null> {
  const jobs = services.engine.records<JobRecord>(space, JOBS);
  const claimed = isStillClaimed(job);
  try {
    const next = await kind.run(services, space, job, isStopping);
    if (next === null) {
      await jobs.deleteOne(claimed);
      return null;
    }
    const dueAt = new Date(next).toISOString();
    await jobs.updateOne(claimed, { set: { dueAt, claimedBy: null, tries: 0, lastError: null } });
    return dueAt;
  } catch (error) {
    const { subject, tries } = job;
    const lastError = String(error).slice(0, ERROR_LENGTH_MAX);
    const details = { job: kind.name, space, subject, tries, error: lastError };
    services.log.write("warn", "A job failed and is retried later", details);
    const pause = Math.min(RETRY_MS * 2 ** (tries - 1), RETRY_MS_MAX);
    const dueAt = new Date(retryTime(services.clock, pause, job._id)).toISOString();
    await jobs.updateOne(claimed, { set: { dueAt, claimedBy: null, lastError } });
    return dueAt;
  }
}

/** Ends a job in its effect's transaction, so it does not run again. False if it was taken over. */
export const endJob = async (tx: Transaction, job: JobRecord): Promise<boolean> =>
  await tx.records<JobRecord>(JOBS).deleteOne(isStillClaimed(job)) !== null;

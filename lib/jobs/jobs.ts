import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import type { Log } from "../runtime/log.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Engine, Filter, Id, Json, Space, Transaction } from "../store/port.ts";
import { field, nullable, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

/**
 * A job: work that follows from a change. It is written in the transaction of its cause and kept
 * until it is done. All processes share the queue. A job runs twice if its process is killed while
 * it runs, or is taken for dead because it did not reach the store for several seconds. The queue
 * of a project, in its space, and of the deployment, in the control space.
 */
export const JOBS = recordKind({
  name: "_jobs",
  fields: {
    kind: field.text,
    /** What the job works on. */
    subject: field.text,
    /** What the job depends on, such as a webhook. Some kinds share workers by lane. */
    lane: field.text,
    createdAt: field.date,
    /** The job does not run before this time. */
    dueAt: field.date,
    /** Id of the process that runs the job; null if it waits. Earlier versions left it out. */
    claimedBy: nullable(field.textOf<Id>()),
    /** How often the job was claimed since it was last successful. */
    tries: field.number,
    /** Why the last try failed. */
    lastError: nullable(field.text),
    /** Further input of the kind. Earlier versions left it out. */
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

/** What code that enqueues jobs needs. */
export interface JobQueue {
  /**
   * Must resolve before a transaction begins that may enqueue jobs in a space. If this process is
   * killed right after that transaction, another one finds the jobs.
   */
  announce(space: Space): Promise<void>;
  /** Runs a job that a committed transaction enqueued as soon as its share has a free worker. */
  begin(space: Space, job: JobRecord): void;
  /**
   * Runs the waiting jobs of a kind that match, due or not, one after the other, each at most once,
   * while the caller waits. After a failure the others in its lane are left for later. Resolves to
   * how many are done.
   */
  runNow<S extends JobServices>(
    services: S,
    kind: JobKind<S>,
    options: { readonly space: Space; readonly which: Filter; isStopping?(): boolean },
  ): Promise<number>;
}

/** How jobs of one kind run. */
export interface JobKind<S extends JobServices> {
  readonly name: string;
  /** How many jobs of one share a process runs at once. A share is a project's, or that of a lane. */
  readonly atOnce: number;
  /** Whether each lane has a share of its own; otherwise all jobs of a project are one share. */
  readonly hasLaneShares?: true;
  /** Whether jobs of this kind are due at once when a process has died. */
  readonly isDueAfterDeath?: true;
  /**
   * Resolves to null when the job is done, or to the time in milliseconds at which it continues. If
   * it rejects, the error is logged and the job is retried with growing pauses.
   */
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
/** The largest part of a pause that is added to it. */
const JITTER = 0.1;

export type NewJob = Pick<JobRecord, "subject" | "lane" | "detail">;

/** Writes jobs that are due now, in a transaction of their space. */
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

/** Returns a job that is due now. */
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

/**
 * Returns the time, in milliseconds, at which a job is tried again after `pause`. Up to a tenth is
 * added, depending on the id, so that jobs that failed together do not retry together.
 */
export function retryTime(clock: Clock, pause: number, id: Id): number {
  const fraction = parseInt(id.slice(-4), 16) / 0xffff;
  return clock.now() + Math.round(pause * (1 + JITTER * fraction));
}

/** Claims one waiting job that matches; null if there is none. Of many callers at once one gets it. */
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

/** Returns one claimed job to the queue. */
export async function releaseJob(engine: Engine, space: Space, job: JobRecord): Promise<void> {
  await engine.records<JobRecord>(space, JOBS)
    .updateOne(isStillClaimed(job), { set: { claimedBy: null } });
}

/** Returns to the queue all jobs that a dead process had claimed. */
export async function releaseClaims(engine: Engine, space: Space, processId: Id): Promise<void> {
  const jobs = engine.records<JobRecord>(space, JOBS);
  const theirs = eq("claimedBy", processId);
  while (await jobs.updateOne(theirs, { set: { claimedBy: null } }) !== null);
}

/** Matches a claimed job for as long as no other process has claimed it since. */
const isStillClaimed = ({ _id, tries, claimedBy }: JobRecord): Filter =>
  and(eq("_id", _id), eq("tries", tries), eq("claimedBy", claimedBy));

/**
 * Runs a job that the caller has claimed. Resolves to null if the job has ended, or to the time at
 * which it is due again. Rejects only if the outcome could not be stored: the job is still claimed
 * then.
 */
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

/**
 * Ends a job in the transaction of its effect, so that it does not run again if its process is
 * killed right afterwards. Resolves to false if another process has claimed the job since.
 */
export const endJob = async (tx: Transaction, job: JobRecord): Promise<boolean> =>
  await tx.records<JobRecord>(JOBS).deleteOne(isStillClaimed(job)) !== null;

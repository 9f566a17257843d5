import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import type { Log } from "../runtime/log.ts";
import { ALL, and, compare, eq, or } from "../store/filter.ts";
import type {
  Definition,
  Engine,
  Filter,
  Id,
  Json,
  Space,
  StoredRecord,
  Transaction,
} from "../store/port.ts";

/**
 * Work that follows from a change: noted in the transaction of its cause, and kept until it is
 * done. Any number of processes share it. It may be done twice, where a process is cut off or takes
 * longer than {@linkcode LEASE_MS}.
 */
export type JobRecord = StoredRecord & {
  kind: string;
  /** What is to be worked on. */
  subject: string;
  /** What else its kind has to know; earlier versions left it out. */
  detail?: Json;
  /** What it depends on. After a failure the other jobs of its lane wait for the next pass. */
  lane: string;
  createdAt: string;
  /** Not tried before. */
  dueAt: string;
  /** Whoever has taken it has it until then; null where nobody has. */
  claimedUntil: string | null;
  /** How often it was taken. */
  tries: number;
  /** Why the last try failed. */
  lastError: string | null;
};

/** In the control space and in each project's. */
export const JOBS: Definition = {
  name: "_jobs",
  fields: {
    kind: { type: "String" },
    subject: { type: "String" },
    lane: { type: "String" },
    createdAt: { type: "Date" },
    dueAt: { type: "Date" },
    claimedUntil: { type: "Date" },
    tries: { type: "Number" },
    lastError: { type: "String" },
  },
  indexes: [
    { keys: [{ path: "dueAt", descending: false }] },
    { keys: [{ path: "subject", descending: false }] },
    { keys: ["kind", "lane", "dueAt"].map((path) => ({ path, descending: false })) },
  ],
  trash: false,
};

export interface JobServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
}

/** How jobs of one kind are done. */
export interface JobKind<S extends JobServices> {
  readonly name: string;
  /**
   * Whether a pass begins them beside one another and does not wait for them: each may take long for
   * a reason of its own. No lane's jobs hold back those of another, however many they are.
   */
  readonly beside?: true;
  /**
   * Resolves to null when it is done, or else to the time in ms at which it goes on. A failure is
   * logged, and tried again later and later.
   */
  run(
    services: S,
    space: Space,
    job: JobRecord,
    stopped: () => boolean,
  ): Promise<number | null>;
}

/** Longer than anything but a pass through a large project takes. */
const LEASE_MS = 300_000;
const RETRY_MS = 60_000;
const RETRY_MS_MAX = 6 * 3_600_000;
const ERROR_LENGTH_MAX = 500;

export type NewJob = Pick<JobRecord, "subject" | "lane" | "detail">;

export interface EnqueueOptions {
  readonly kind: string;
  /** The caller runs them as soon as the transaction has ended, so nobody else takes them before. */
  readonly isClaimed?: boolean;
}

export async function enqueue(
  tx: Pick<Transaction, "records">,
  { clock, newId }: { readonly clock: Clock; readonly newId: NewId },
  jobs: readonly NewJob[],
  { kind, isClaimed = false }: EnqueueOptions,
): Promise<JobRecord[]> {
  const claim = isClaimed ? { claimedUntil: leaseFrom(clock), tries: 1 } : {};
  const records = jobs.map((job) => ({ ...jobRecord(clock, newId(), { ...job, kind }), ...claim }));
  await tx.records<JobRecord>(JOBS).insertMany(records);
  return records;
}

/** A job that is due now, and that nobody has taken. */
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
    claimedUntil: null,
    tries: 0,
    lastError: null,
  };
}

const leaseFrom = (clock: Clock): string => new Date(clock.now() + LEASE_MS).toISOString();

/** Jobs of a kind. */
export const jobsOf = ({ name }: { readonly name: string }, which: Filter = ALL): Filter =>
  and(eq("kind", name), which);

export const dueBy = (clock: Clock): Filter => compare("dueAt", "lte", timestamp(clock));

/**
 * Runs a job that the caller has taken; false where it failed, goes on later, or has ended itself by
 * {@linkcode endJob}.
 */
export async function runJob<S extends JobServices>(
  services: S,
  kind: JobKind<S>,
  { space, job, stopped = () => false }: {
    space: Space;
    job: JobRecord;
    stopped?: () => boolean;
  },
): Promise<boolean> {
  const jobs = services.engine.records<JobRecord>(space, JOBS);
  const mine = and(eq("_id", job._id), eq("tries", job.tries));
  try {
    const next = await kind.run(services, space, job, stopped);
    if (next === null) return await jobs.deleteOne(mine) !== null;
    const dueAt = new Date(next).toISOString();
    await jobs.updateOne(mine, { set: { dueAt, claimedUntil: null, tries: 0, lastError: null } });
  } catch (error) {
    const { subject, tries } = job;
    const lastError = String(error).slice(0, ERROR_LENGTH_MAX);
    services.log.write("warn", "A job failed, and is tried again later", {
      job: kind.name,
      subject,
      tries,
      error: lastError,
    });
    const pause = Math.min(RETRY_MS * 2 ** (tries - 1), RETRY_MS_MAX);
    const dueAt = new Date(services.clock.now() + pause).toISOString();
    // Where that cannot be stored either it is free again when its lease ends.
    await jobs.updateOne(mine, { set: { dueAt, claimedUntil: null, lastError } }).catch(() => {});
  }
  return false;
}

/**
 * Ends a job in the transaction of what it is for, so that it is not done again where its process
 * is cut off behind it. False where another one has it by now.
 */
export const endJob = async (tx: Transaction, { _id, tries }: JobRecord): Promise<boolean> =>
  await tx.records<JobRecord>(JOBS).deleteOne(and(eq("_id", _id), eq("tries", tries))) !== null;

/** Gives up a job that the caller has taken and not begun: whoever looks next takes it. */
export async function release(engine: Engine, space: Space, job: JobRecord): Promise<void> {
  const mine = and(eq("_id", job._id), eq("tries", job.tries));
  const change = { set: { claimedUntil: null }, increment: { tries: -1 } };
  await engine.records<JobRecord>(space, JOBS).updateOne(mine, change);
}

/**
 * Takes jobs that nobody has, and runs each once; resolves to how many are done.
 * @param which {@linkcode dueBy}, or others too.
 */
export async function runJobs<S extends JobServices>(
  services: S,
  kind: JobKind<S>,
  { space, which, stopped = () => false }: {
    space: Space;
    which: Filter;
    stopped?: () => boolean;
  },
): Promise<number> {
  const { engine, clock } = services;
  const jobs = engine.records<JobRecord>(space, JOBS);
  const failing = new Set<string>();
  let done = 0;
  for await (const { _id, lane } of jobs.find({ filter: and(jobsOf(kind, which), free(clock)) })) {
    if (stopped()) break;
    if (failing.has(lane)) continue;
    const taken = await take(services, { space, which }, _id);
    if (taken === null) continue;
    if (await runJob(services, kind, { space, job: taken, stopped })) done++;
    else failing.add(lane);
  }
  return done;
}

/** The lanes in which there are jobs of a kind, due or not: a seek in an index for each. */
export async function* lanesOf(
  { engine }: Pick<JobServices, "engine">,
  kind: { readonly name: string },
  space: Space,
): AsyncGenerator<string> {
  const jobs = engine.records<JobRecord>(space, JOBS);
  const sort = [{ path: "lane", descending: false }];
  for (let lane = "";;) {
    const filter = jobsOf(kind, compare("lane", "gt", lane));
    const [next] = (await jobs.list({ filter, sort, limit: 1 })).records();
    if (next === undefined) return;
    yield lane = next.lane;
  }
}

/** Takes jobs that are due and that nobody has, as many as `limit`, for the caller to run. */
export async function takeDue<S extends JobServices>(
  services: JobServices,
  kind: JobKind<S>,
  { space, lane, limit }: { space: Space; lane: string; limit: number },
): Promise<JobRecord[]> {
  const { engine, clock } = services;
  const which = and(eq("lane", lane), dueBy(clock));
  const filter = and(jobsOf(kind, which), free(clock));
  const taken: JobRecord[] = [];
  const sort = [{ path: "dueAt", descending: false }];
  for await (
    const { _id } of engine.records<JobRecord>(space, JOBS).find({ filter, sort, limit })
  ) {
    const job = await take(services, { space, which }, _id);
    if (job !== null) taken.push(job);
  }
  return taken;
}

/** Null where another process has taken it since, and perhaps put it off. */
async function take(
  { engine, clock }: JobServices,
  { space, which }: { space: Space; which: Filter },
  jobId: Id,
): Promise<JobRecord | null> {
  const taken = await engine.records<JobRecord>(space, JOBS).updateOne(
    and(eq("_id", jobId), which, free(clock)),
    { set: { claimedUntil: leaseFrom(clock) }, increment: { tries: 1 } },
  );
  return taken?.value ?? null;
}

const free = (clock: Clock): Filter =>
  or(eq("claimedUntil", null), compare("claimedUntil", "lte", timestamp(clock)));

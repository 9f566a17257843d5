import { timestamp } from "../clock.ts";
import { hashedId } from "../crypto/hashes.ts";
import { REQUEST_TIMEOUT_MS, SHUTDOWN_MS } from "../limits.ts";
import { createLru } from "../lru.ts";
import { type ProjectRecord, PROJECTS } from "../projects/records.ts";
import { ALL, and, compare, eq, or } from "../store/filter.ts";
import type { Filter, Id, Space, Stored } from "../store/port.ts";
import {
  claimJob,
  isDue,
  type JobKind,
  type JobQueue,
  type JobRecord,
  jobRecord,
  JOBS,
  type JobServices,
  releaseClaims,
  releaseJob,
  runJob,
} from "./jobs.ts";
import { Heartbeat } from "./processes.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/** A space that has jobs or may soon have some. Stored in the control space. */
export const WAITING_SPACES = recordKind({
  name: "waitingSpaces",
  fields: {
    space: field.oneOf<Space>(),
    /** Time of the last announcement that jobs may be enqueued in the space. */
    announcedAt: field.date,
    /** Time of the next check of the space. Earlier versions omitted it. */
    dueAt: field.date,
  },
  indexes: [{ keys: [{ path: "dueAt", descending: false }] }],
  trash: false,
});

type WaitingSpaceRecord = RecordOf<typeof WAITING_SPACES>;

/** Interval between two searches for spaces in which jobs are due. */
const CHECK_INTERVAL_MS = 1_000;
/** A space need not be announced again for this time. */
const ANNOUNCED_MS = 30_000;
/** After an announcement, jobs may be enqueued for this time, so the space is checked often. */
const RECENT_MS = ANNOUNCED_MS + REQUEST_TIMEOUT_MS;
const RECENT_SPACE_INTERVAL_MS = 5_000;
/** A space without jobs is removed after this time, which is longer than any transaction. */
const EMPTY_SPACE_MS = 300_000;
/** A share whose last job took longer than this has one worker until a job takes less. */
const SLOW_MS = 5_000;
/** Maximum number of shares that are remembered as quick. */
const QUICK_SHARES_MAX = 10_000;

/** Periodic work for all projects, done by one of the processes that share a store. */
export interface RecurringWork<S> {
  readonly kind: string;
  readonly everyMs: number;
  /** Resolves to details for the log. */
  run(services: S, isStopping: () => boolean): Promise<object>;
}

export interface JobRunnerOptions<S extends JobServices> {
  readonly kinds: readonly JobKind<S>[];
  /** Returns the services of the kinds. Called when a job runs. */
  servicesOf(): S;
}

/** Jobs that have a limited number of workers in common. */
interface Share<S extends JobServices> {
  readonly space: Space;
  readonly kind: JobKind<S>;
  /** Null if the share contains the jobs of all lanes. */
  readonly lane: string | null;
}

interface ShareState {
  workers: number;
  /** Incremented for each enqueued job, so that a worker looks for the job before it stops. */
  wakeUps: number;
}

/** Runs the jobs of all projects. Each project and each webhook has workers of its own. */
export class JobRunner<S extends JobServices> implements JobQueue, AsyncDisposable {
  readonly #services: JobServices;
  readonly #options: JobRunnerOptions<S>;
  readonly #kinds: Map<string, JobKind<S>>;
  readonly #heartbeat: Heartbeat;
  readonly #shares = new Map<string, ShareState>();
  readonly #quickShares = createLru<string, 1>(QUICK_SHARES_MAX);
  readonly #running = new Set<Promise<void>>();
  readonly #announcedAt = new Map<Space, number>();
  /** Jobs that have ended but are still claimed, because their result could not be stored. */
  readonly #unstored = new Set<{ readonly space: Space; readonly job: JobRecord }>();
  #claimed = 0;
  #endedJobs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopping = false;
  /** Deadline of a stop, in milliseconds of `clock.elapsed()`; null before a stop. */
  #stopBy: number | null = null;

  constructor(services: JobServices, options: JobRunnerOptions<S>) {
    this.#services = services;
    this.#options = options;
    this.#kinds = new Map(options.kinds.map((kind) => [kind.name, kind]));
    const isWorking = () => this.#claimed + this.#unstored.size > 0;
    this.#heartbeat = new Heartbeat(services, isWorking);
  }

  async announce(space: Space): Promise<void> {
    await this.#heartbeat.ensure(REQUEST_TIMEOUT_MS);
    const now = this.#services.clock.now();
    if (now - (this.#announcedAt.get(space) ?? -Infinity) < ANNOUNCED_MS) return;
    const at = timestamp(this.#services.clock);
    await this.#upsertSpace(space, { dueAt: at, announcedAt: at });
    for (const [known, at] of this.#announcedAt) {
      if (now - at >= ANNOUNCED_MS) this.#announcedAt.delete(known);
    }
    this.#announcedAt.set(space, now);
  }

  begin(space: Space, job: JobRecord): void {
    // Begins after the response was sent, so that the response time does not reveal the job.
    this.#track(
      nextTask().then(async () => {
        if (this.#isStopping) return await this.#upsertSpace(space, { dueAt: job.dueAt });
        const kind = this.#kinds.get(job.kind);
        if (kind !== undefined) await this.#runShare(shareOf(kind, space, job.lane));
      }),
    );
  }

  async runNow<T extends JobServices>(
    services: T,
    kind: JobKind<T>,
    { space, which, isStopping = () => this.#isStopping }: {
      readonly space: Space;
      readonly which: Filter;
      isStopping?(): boolean;
    },
  ): Promise<number> {
    const failing = new Set<string>();
    let done = 0;
    const filter = and(eq("kind", kind.name), eq("claimedBy", null), which);
    const found = this.#services.engine.records<JobRecord>(space, JOBS).find({ filter });
    for await (const { _id, lane } of found) {
      if (isStopping()) break;
      if (failing.has(lane)) continue;
      const run = { space, which: eq("_id", _id), isStopping };
      const outcome = await this.#runOne(services, kind, run);
      if (outcome === "done") done++;
      if (outcome === "later") failing.add(lane);
    }
    return done;
  }

  /** Sets the address that this process serves, by which it finds jobs of a killed predecessor. */
  serveAt(address: string | null): void {
    this.#heartbeat.address = address;
  }

  /** Starts to run due jobs and recurring work, checked about once a second. */
  async start(recurring: readonly RecurringWork<S>[]): Promise<void> {
    for (const work of recurring) {
      this.#kinds.set(work.kind, recurringKind(work));
      await this.#enqueueRecurring(work.kind);
    }
    await this.#upsertSpace("control", { dueAt: timestamp(this.#services.clock) });
    const check = async (atStart: boolean) => {
      await this.startDue({ atStart });
      if (!this.#isStopping) {
        this.#timer = setTimeout(() => void check(false), CHECK_INTERVAL_MS);
      }
    };
    void check(true);
  }

  /** Starts workers for all jobs that are due or that a dead process had claimed. */
  async startDue({ atStart = false } = {}): Promise<void> {
    try {
      await this.#releaseUnstored();
      const dead = await this.#heartbeat.findDead({ atStart });
      const filter = or(
        eq("dueAt", null),
        compare("dueAt", "lte", timestamp(this.#services.clock)),
      );
      const waiting = this.#waiting().find({ filter: dead.length > 0 ? ALL : filter });
      for await (const { _id, space } of waiting) {
        if (this.#isStopping) return;
        await this.#startDueIn(_id, space, dead);
      }
      for (const processId of dead) await this.#heartbeat.remove(processId);
    } catch (error) {
      this.#warn("Due jobs are left for later", { error: String(error) });
    }
  }

  /** Runs all due jobs and the jobs that they enqueue. Resolves to the number of ended jobs. */
  async runDue(): Promise<number> {
    const before = this.#endedJobs;
    await this.startDue();
    await this.idle();
    return this.#endedJobs - before;
  }

  /** Resolves when all jobs that run, and the jobs that they enqueue, have ended. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Claims no more jobs and waits for running ones, at most `SHUTDOWN_MS` from the first call. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    const { clock } = this.#services;
    this.#stopBy ??= clock.elapsed() + SHUTDOWN_MS;
    const leftMs = Math.max(this.#stopBy - clock.elapsed(), 0);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => timer = setTimeout(resolve, leftMs));
    await Promise.race([this.idle().then(() => this.#heartbeat.stop()), late]);
    clearTimeout(timer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error) => this.#warn("Jobs are left for later", { error: String(error) }))
      .finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }

  /** Runs the due jobs of a share, unless it has its maximum number of workers. */
  async #runShare(share: Share<S>): Promise<void> {
    const { space, kind, lane } = share;
    const key = keyOf(share);
    const state = this.#shares.get(key) ?? { workers: 0, wakeUps: 0 };
    state.wakeUps++;
    const workersMax = this.#quickShares.has(key) ? kind.atOnce : 1;
    if (this.#isStopping || state.workers >= workersMax) return;
    this.#shares.set(key, state);
    state.workers++;
    try {
      const ofKind = eq("kind", kind.name);
      const ofShare = lane === null ? ofKind : and(ofKind, eq("lane", lane));
      for (let seen = -1, jobs = 0; seen !== state.wakeUps && !this.#isStopping;) {
        seen = state.wakeUps;
        const began = this.#services.clock.elapsed();
        const which = and(ofShare, isDue(this.#services.clock));
        const run = { space, which, isStopping: () => this.#isStopping };
        if (await this.#runOne(this.#options.servicesOf(), kind, run) === null) continue;
        seen = -1;
        if (this.#services.clock.elapsed() - began > SLOW_MS) this.#quickShares.delete(key);
        else this.#quickShares.set(key, 1);
        if (++jobs > 1) this.#track(this.#runShare(share)); // More jobs may wait.
      }
    } finally {
      if (--state.workers === 0) this.#shares.delete(key);
    }
  }

  /** Claims and runs a job that matches, or resolves to null. */
  async #runOne<T extends JobServices>(
    services: T,
    kind: JobKind<T>,
    { space, which, isStopping }: {
      readonly space: Space;
      readonly which: Filter;
      isStopping(): boolean;
    },
  ): Promise<"done" | "later" | null> {
    this.#claimed++;
    try {
      await this.#heartbeat.ensure();
      const { processId } = this.#heartbeat;
      const job = await claimJob(this.#services, space, { which, processId });
      if (job === null) return null;
      let dueAt: string | null;
      try {
        dueAt = await runJob(services, kind, { space, job, isStopping });
      } catch (error) {
        this.#unstored.add({ space, job });
        throw error;
      }
      if (dueAt !== null) await this.#upsertSpace(space, { dueAt });
      else this.#endedJobs++;
      return dueAt === null ? "done" : "later";
    } finally {
      this.#claimed--;
    }
  }

  /** Returns jobs whose result could not be stored to the queue. */
  async #releaseUnstored(): Promise<void> {
    for (const unstored of this.#unstored) {
      const { space, job } = unstored;
      await releaseJob(this.#services.engine, space, job);
      this.#unstored.delete(unstored);
      await this.#upsertSpace(space, { dueAt: job.dueAt });
    }
  }

  /** Starts workers for due jobs of a space. Never rejects, because other spaces follow. */
  async #startDueIn(id: Id, space: Space, dead: readonly Id[]): Promise<void> {
    try {
      if (await this.#isDeleted(space)) return void await this.#waiting().deleteOne(eq("_id", id));
      const waiting = await this.#waiting().get(id);
      if (waiting === null) return;
      if (dead.length > 0) await this.#takeOver(space, dead);
      const nextAt = await this.#nextDueAt(space);
      if (nextAt !== null && nextAt <= timestamp(this.#services.clock)) {
        await this.#startWorkers(space);
      }
      await this.#reschedule(waiting, nextAt);
    } catch (error) {
      this.#warn("Due jobs of a project are left for later", { space, error: String(error) });
    }
  }

  async #takeOver(space: Space, dead: readonly Id[]): Promise<void> {
    const { engine, clock } = this.#services;
    for (const processId of dead) await releaseClaims(engine, space, processId);
    const dueAt = timestamp(clock);
    for (const { name, isDueAfterDeath } of this.#kinds.values()) {
      if (!isDueAfterDeath) continue;
      await engine.records<JobRecord>(space, JOBS)
        .updateOne(and(eq("kind", name), eq("claimedBy", null)), { set: { dueAt } });
    }
  }

  /** Returns the time at which the next waiting job of a space is due; null if no job waits. */
  async #nextDueAt(space: Space): Promise<string | null> {
    const page = await this.#services.engine.records<JobRecord>(space, JOBS).list({
      filter: eq("claimedBy", null),
      sort: [{ path: "dueAt", descending: false }],
      limit: 1,
    });
    return page.records()[0]?.dueAt ?? null;
  }

  async #startWorkers(space: Space): Promise<void> {
    for (const kind of this.#kinds.values()) {
      const lanes = kind.hasLaneShares ? this.#lanes(space, kind) : [null];
      for await (const lane of lanes) this.#track(this.#runShare({ space, kind, lane }));
    }
  }

  /** Yields the lanes that have jobs of a kind, with one index lookup each. */
  async *#lanes(space: Space, { name }: JobKind<S>): AsyncGenerator<string> {
    const jobs = this.#services.engine.records<JobRecord>(space, JOBS);
    const sort = [{ path: "lane", descending: false }];
    for (let lane = "";;) {
      const filter = and(eq("kind", name), compare("lane", "gt", lane));
      const [next] = (await jobs.list({ filter, sort, limit: 1 })).records();
      if (next === undefined) return;
      yield lane = next.lane;
    }
  }

  /** Removes an empty space only after every transaction that could enqueue jobs has ended. */
  async #reschedule(
    { value, revision }: Stored<WaitingSpaceRecord>,
    nextAt: string | null,
  ): Promise<void> {
    const { engine, clock } = this.#services;
    const { _id, space, announcedAt, dueAt } = value;
    if (dueAt !== undefined && dueAt > timestamp(clock)) return; // Checked early, after a death.
    const unchanged = and(eq("_id", _id), { op: "revision", value: revision });
    const age = clock.now() - Date.parse(announcedAt);
    const isEmpty = async () => await engine.records(space, JOBS).findOne(ALL) === null;
    if (nextAt === null && age >= EMPTY_SPACE_MS && await isEmpty()) {
      return void await this.#waiting().deleteOne(unchanged);
    }
    const pause = age < RECENT_MS
      ? RECENT_SPACE_INTERVAL_MS
      : age < EMPTY_SPACE_MS
      ? EMPTY_SPACE_MS - age
      : EMPTY_SPACE_MS;
    const checkAt = new Date(clock.now() + pause).toISOString();
    const set = { dueAt: nextAt !== null && nextAt < checkAt ? nextAt : checkAt };
    await this.#waiting().updateOne(unchanged, { set });
  }

  /** Makes sure that a space is checked no later than `dueAt`. */
  async #upsertSpace(
    space: Space,
    { dueAt, announcedAt }: Pick<WaitingSpaceRecord, "dueAt"> & { announcedAt?: string },
  ): Promise<void> {
    const _id = space === "control" ? hashedId(space) : space; // Project ids are record ids.
    const record = { _id, space, announcedAt: announcedAt ?? dueAt, dueAt };
    const change = { ...(announcedAt !== undefined && { set: { announcedAt } }), min: { dueAt } };
    await this.#waiting().upsert(eq("_id", _id), change, record);
  }

  /** Enqueues recurring work, once even if several processes do so concurrently. */
  async #enqueueRecurring(kind: string): Promise<void> {
    const { engine, clock } = this.#services;
    const _id = hashedId(kind);
    const job = jobRecord(clock, _id, { kind, subject: kind, lane: kind });
    await engine.records<JobRecord>("control", JOBS).upsert(eq("_id", _id), { set: { kind } }, job);
  }

  async #isDeleted(space: Space): Promise<boolean> {
    return space !== "control" &&
      await this.#services.engine.records<ProjectRecord>("control", PROJECTS).get(space) === null;
  }

  #waiting() {
    return this.#services.engine.records<WaitingSpaceRecord>("control", WAITING_SPACES);
  }

  #warn(message: string, details: object): void {
    this.#services.log.write("warn", message, { ...details });
  }
}

const shareOf = <S extends JobServices>(
  kind: JobKind<S>,
  space: Space,
  lane: string,
): Share<S> => ({ space, kind, lane: kind.hasLaneShares ? lane : null });

const keyOf = <S extends JobServices>({ space, kind, lane }: Share<S>): string =>
  `${space} ${kind.name} ${lane ?? ""}`;

/** Resolves after all tasks that can continue without waiting for input or output. */
const nextTask = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0));

/** Returns a job kind that pauses after each run at least as long as the run took. */
const recurringKind = <S extends JobServices>(work: RecurringWork<S>): JobKind<S> => ({
  name: work.kind,
  atOnce: 1,
  async run(services, _space, _job, isStopping) {
    const { clock, log } = services;
    const began = clock.elapsed();
    log.write("debug", "Maintenance done", {
      job: work.kind,
      ...await work.run(services, isStopping),
    });
    return clock.now() + Math.max(work.everyMs, clock.elapsed() - began);
  },
});

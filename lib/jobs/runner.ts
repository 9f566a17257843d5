import pLimit from "p-limit";
import { timestamp } from "../clock.ts";
import { hashedId } from "../crypto/hashes.ts";
import { SHUTDOWN_MS } from "../limits.ts";
import { type ProjectRecord, PROJECTS } from "../projects/records.ts";
import { UniqueViolation } from "../store/errors.ts";
import { ALL, and, compare, eq, within } from "../store/filter.ts";
import type { Definition, Id, Space, StoredRecord } from "../store/port.ts";
import {
  dueBy,
  type JobKind,
  type JobRecord,
  JOBS,
  type JobServices,
  lanesOf,
  release,
  runJob,
  runJobs,
  takeDue,
} from "./jobs.ts";

/** A space that may have jobs of a runner's kinds: what every process looks through. */
type WaitingSpaceRecord = StoredRecord & { space: Space; announcedAt: string };

/** In the control space. */
export const WAITING_SPACES: Definition = {
  name: "waitingSpaces",
  fields: { space: { type: "String" }, announcedAt: { type: "Date" } },
  indexes: [],
  trash: false,
};

/** The same of the runner that sends messages to webhooks: neither forgets a space of the other. */
export const WAITING_WEBHOOK_SPACES: Definition = {
  name: "waitingWebhookSpaces",
  fields: WAITING_SPACES.fields,
  indexes: WAITING_SPACES.indexes,
  trash: false,
};

/** Who announced a space this lately need not do so again. */
const ANNOUNCED_MS = 30_000;
/** A space stays announced for longer than a transaction can take that began after that. */
const KEPT_MS = 300_000;
/** How many jobs of a lane are under way while passes begin more of them. */
const BESIDE_MAX = 500;

/**
 * Runs jobs in the background: at once where this process noted them, or when they are due. Disposing
 * it waits for those that are under way, but for no longer than a server may take to stop.
 */
export interface JobRunner extends AsyncDisposable {
  /**
   * Before a transaction that notes jobs in a space: if this process ends right behind it, another
   * one finds them.
   */
  announce(space: Space): Promise<void>;
  /** Behind it: runs a job that was noted as claimed. */
  begin(space: Space, job: JobRecord): void;
  /**
   * Runs what is due in all announced spaces; resolves to how many jobs are done, without those that
   * are begun beside one another.
   */
  runDue(stopped?: () => boolean): Promise<number>;
  /** Resolves when nothing runs that was begun until now, or that followed from it. */
  idle(): Promise<void>;
}

export interface JobRunnerOptions<S extends JobServices> {
  readonly kinds: readonly JobKind<S>[];
  /** How many jobs run at once. */
  readonly atOnceMax: number;
  /** Where spaces are announced; {@linkcode WAITING_SPACES} if left out. */
  readonly announcedIn?: Definition;
  /** What the kinds are run with; called when the first one is. */
  servicesOf(): S;
}

export function createJobRunner<S extends JobServices>(
  { engine, clock, log }: JobServices,
  { kinds, atOnceMax, announcedIn = WAITING_SPACES, servicesOf }: JobRunnerOptions<S>,
): JobRunner {
  const turn = pLimit(atOnceMax);
  const running = new Set<Promise<unknown>>();
  /** By kind, space and lane, how many of them. */
  const runningIn = new Map<string, number>();
  const announced = new Map<Space, number>();
  let isStopped = false;
  const waiting = () => engine.records<WaitingSpaceRecord>("control", announcedIn);

  /** A job that has not begun when this process stops is another one's to do, at once. */
  async function runOrRelease(space: Space, job: JobRecord): Promise<void> {
    if (isStopped) return await release(engine, space, job);
    const kind = kinds.find(({ name }) => name === job.kind)!;
    await runJob(servicesOf(), kind, { space, job, stopped: () => isStopped });
  }

  function begin(space: Space, job: JobRecord): void {
    const place = placeOf(space, job.kind, job.lane);
    // Not before the answer to the request that noted it: its time would tell what is done.
    const run = nextTask()
      .then(() => turn(() => runOrRelease(space, job)))
      .catch((error) => {
        const fields = { job: job.kind, space, error: String(error) };
        log.write("warn", "A job is left to a later pass", fields);
      })
      .finally(() => {
        running.delete(run);
        const left = runningIn.get(place)! - 1;
        if (left > 0) runningIn.set(place, left);
        else runningIn.delete(place);
      });
    running.add(run);
    runningIn.set(place, (runningIn.get(place) ?? 0) + 1);
  }

  /** What would only wait here is left to other processes, and waits for no lease. */
  async function beginDue(space: Space, kind: JobKind<S>): Promise<void> {
    for await (const lane of lanesOf({ engine }, kind, space)) {
      const limit = BESIDE_MAX - (runningIn.get(placeOf(space, kind.name, lane)) ?? 0);
      if (limit <= 0) continue;
      const jobs = await takeDue({ engine, clock, log }, kind, { space, lane, limit });
      for (const job of jobs) begin(space, job);
    }
  }

  async function idle(): Promise<void> {
    while (running.size > 0) await Promise.all(running);
  }

  const isGone = async (space: Space): Promise<boolean> =>
    space !== "control" &&
    await engine.records<ProjectRecord>("control", PROJECTS).get(space) === null;

  /** No more to look through, if nothing is left there and nobody can have noted anything since. */
  async function forget({ _id, space }: WaitingSpaceRecord): Promise<void> {
    const ours = within("kind", kinds.map(({ name }) => name));
    if (await engine.records<JobRecord>(space, JOBS).findOne(ours) !== null) return;
    const before = new Date(clock.now() - KEPT_MS).toISOString();
    await waiting().deleteOne(and(eq("_id", _id), compare("announcedAt", "lte", before)));
  }

  return {
    async announce(space) {
      const now = clock.now();
      if (now - (announced.get(space) ?? -Infinity) < ANNOUNCED_MS) return;
      const _id = idOf(space);
      const announcedAt = timestamp(clock);
      const record = { _id, space, announcedAt };
      try {
        await waiting().upsert(eq("_id", _id), { set: { announcedAt } }, record);
      } catch (error) {
        // Another process has done so in this very moment.
        if (!(error instanceof UniqueViolation)) throw error;
      }
      for (const [known, at] of announced) if (now - at >= ANNOUNCED_MS) announced.delete(known);
      announced.set(space, now);
    },
    begin,
    idle,
    async runDue(stopped = () => isStopped) {
      let done = 0;
      for await (const one of waiting().find({ filter: ALL })) {
        if (stopped()) break;
        if (await isGone(one.space)) {
          await waiting().deleteOne(eq("_id", one._id));
          continue;
        }
        try {
          for (const kind of kinds) {
            if (kind.beside) {
              await beginDue(one.space, kind);
              continue;
            }
            const options = { space: one.space, which: dueBy(clock), stopped };
            done += await runJobs(servicesOf(), kind, options);
          }
          await forget(one);
        } catch (error) {
          // One project that cannot be used keeps nobody else waiting.
          const fields = { space: one.space, error: String(error) };
          log.write("warn", "Due jobs of a project are left to a later pass", fields);
        }
      }
      return done;
    },
    async [Symbol.asyncDispose]() {
      isStopped = true;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const timeUp = new Promise<void>((resolve) => timer = setTimeout(resolve, SHUTDOWN_MS));
      await Promise.race([idle(), timeUp]);
      clearTimeout(timer);
    },
  };
}

const placeOf = (space: Space, kind: string, lane: string): string => `${space} ${kind} ${lane}`;

/** Behind all that goes on without waiting for anything outside. */
const nextTask = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0));

/** Ids of projects are ids of records, too. */
const idOf = (space: Space): Id => space === "control" ? hashedId(space) : space;

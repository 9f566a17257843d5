import { hashedId } from "@/lib/crypto/hashes.ts";
import { eq } from "@/lib/store/filter.ts";
import {
  dueBy,
  type JobKind,
  type JobRecord,
  jobRecord,
  JOBS,
  type JobServices,
  runJobs,
} from "@/lib/jobs/jobs.ts";

/** Work for all that share a store, done again and again by one of their processes. */
export interface RecurringWork {
  /** Names it in the store, for good. */
  readonly kind: string;
  readonly everyMs: number;
  /** Resolves to what it has done, for the log. */
  run(stopped: () => boolean): Promise<object>;
}

/** After how long a process looks whether it is due, more or less; and a new store's first pass. */
const LOOK_MS = 60_000;
/** How much longer a pause is than the pass before it, at least. */
const REST = 100;

/** Does the work whenever it is due and no other process is at it, until it is disposed of. */
export function startRecurring(
  services: JobServices,
  work: RecurringWork,
  lookMs: number = LOOK_MS,
): AsyncDisposable {
  const { clock, log } = services;
  const kind: JobKind<JobServices> = {
    name: work.kind,
    async run(_services, _space, _job, stopped) {
      const began = clock.elapsed();
      try {
        log.write("debug", "Maintenance done", { job: work.kind, ...await work.run(stopped) });
      } catch (error) {
        log.write("error", "Maintenance failed", { job: work.kind, error: String(error) });
      }
      return clock.now() + Math.max(work.everyMs, REST * (clock.elapsed() - began));
    },
  };
  let isStopped = false;
  let isNoted = false;
  let running: Promise<void> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function look(): Promise<void> {
    try {
      isNoted ||= await note(services, work);
      const which = dueBy(clock);
      await runJobs(services, kind, { space: "control", which, stopped: () => isStopped });
    } catch (error) {
      log.write("error", "Maintenance cannot begin", { job: work.kind, error: String(error) });
    }
    if (!isStopped) schedule();
  }

  function schedule(): void {
    // Spread, so that processes started together do not all look at once.
    timer = setTimeout(() => running = look(), lookMs * (0.5 + Math.random()));
  }
  schedule();

  return {
    async [Symbol.asyncDispose]() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Of many that note it at once one does. */
async function note({ engine, clock }: JobServices, { kind }: RecurringWork): Promise<true> {
  const _id = hashedId(kind);
  const job = jobRecord(clock, _id, { kind, subject: kind, lane: kind });
  const jobs = engine.records<JobRecord>("control", JOBS);
  await jobs.upsert(eq("_id", _id), { set: { kind } }, job);
  return true;
}

import { type Clock, deadlinePassed, timestamp } from "../clock.ts";
import { COLLECTION_REMOVAL } from "../documents/collection_removals.ts";
import { type KeepServices, UNHELD_FILE_REMOVAL } from "../documents/keep_files.ts";
import { type FileServices, OBJECT_REMOVAL } from "../files/removals.ts";
import { INTERNAL } from "../files/stores.ts";
import { parseId } from "../ids.ts";
import { type JobKind, type JobRecord, JOBS, runJobs } from "../jobs/jobs.ts";
import { JOBS_SHOWN_MAX } from "../limits.ts";
import { ALL, eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";

/** A job of a project as its members may see it. */
export interface ShownJob {
  readonly id: Id;
  readonly kind: string;
  /** What it is about; null where that is not for members. */
  readonly subject: string | null;
  readonly createdAt: string;
  /** When it is tried next, if nobody is at it. */
  readonly dueAt: string;
  readonly isRunning: boolean;
  /** How often it was tried in vain, and is being tried. */
  readonly tries: number;
  /** Why the last try failed: nothing of the server's own; null where it did not. */
  readonly failure: string | null;
}

export interface ShownJobs {
  /** Those that are due first. */
  readonly jobs: readonly ShownJob[];
  readonly total: number;
}

type RemovalServices = FileServices & KeepServices;

/** Kinds that follow from what members do, by their names. */
const OF_MEMBERS: Readonly<Record<string, JobKind<RemovalServices>>> = {
  [OBJECT_REMOVAL.name]: OBJECT_REMOVAL,
  [COLLECTION_REMOVAL.name]: COLLECTION_REMOVAL,
  [UNHELD_FILE_REMOVAL.name]: UNHELD_FILE_REMOVAL,
};

const kindOf = (name: string): JobKind<RemovalServices> | null =>
  Object.hasOwn(OF_MEMBERS, name) ? OF_MEMBERS[name]! : null;

/** What is still to be done in a project. */
export async function listJobs(
  { engine, clock }: { readonly engine: Engine; readonly clock: Clock },
  projectId: Id,
): Promise<ShownJobs> {
  const page = await engine.records<JobRecord>(projectId, JOBS).list({
    filter: ALL,
    sort: [{ path: "dueAt", descending: false }],
    limit: JOBS_SHOWN_MAX,
    total: true,
  });
  const now = timestamp(clock);
  return { jobs: page.records().map((job) => shown(job, now)), total: page.total! };
}

const shown = (job: JobRecord, now: string): ShownJob => ({
  id: job._id,
  kind: job.kind,
  subject: subjectOf(job),
  createdAt: job.createdAt,
  dueAt: job.dueAt,
  isRunning: job.claimedUntil !== null && job.claimedUntil > now,
  tries: job.tries,
  failure: failureOf(job),
});

function subjectOf({ kind, subject }: JobRecord): string | null {
  if (kindOf(kind) === null) return null;
  // The place of a collection's documents is its name, with an id behind it.
  return kind === COLLECTION_REMOVAL.name ? subject.split(".")[0]! : subject;
}

const OF_A_BUCKET = /^BlobsUnavailable: (.+)$/;

/** What a project's own bucket answers is its owner's; all else may tell of the server. */
function failureOf({ kind, lane, lastError }: JobRecord): string | null {
  if (lastError === null) return null;
  const isTheirs = kind === OBJECT_REMOVAL.name && lane !== INTERNAL;
  const [, said] = isTheirs ? OF_A_BUCKET.exec(lastError) ?? [] : [];
  return said ?? "The server could not do it: its log says why.";
}

/** Somebody waits for it. */
const TRY_MS = 5_000;

/**
 * Tries a job of a project now, unless somebody is at it. What takes long goes on later. Resolves
 * to whether it is done, or was before.
 */
export async function tryJob(
  services: FileServices,
  projectId: Id,
  idText: string,
): Promise<boolean> {
  const id = parseId(idText);
  if (id === null) return true;
  const jobs = services.engine.records<JobRecord>(projectId, JOBS);
  const job = (await jobs.get(id))?.value;
  if (job === undefined) return true;
  const kind = kindOf(job.kind);
  if (kind === null) return false;
  const stopped = deadlinePassed(services.clock, TRY_MS);
  await runJobs(services, kind, { space: projectId, which: eq("_id", id), stopped });
  return await jobs.get(id) === null;
}

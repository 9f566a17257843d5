import { deadlinePassed } from "../clock.ts";
import { COLLECTION_REMOVAL } from "../documents/collection_removals.ts";
import { type FileReferenceServices, UNHELD_FILE_REMOVAL } from "../documents/file_references.ts";
import { type FileServices, OBJECT_REMOVAL } from "../files/removals.ts";
import { INTERNAL } from "../files/stores.ts";
import { parseId } from "../ids.ts";
import { type JobKind, type JobRecord, JOBS } from "../jobs/jobs.ts";
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

type RemovalServices = FileServices & FileReferenceServices;

/** The kinds that follow from what members do. */
const KINDS_OF_MEMBERS: readonly JobKind<RemovalServices>[] = [
  OBJECT_REMOVAL,
  COLLECTION_REMOVAL,
  UNHELD_FILE_REMOVAL,
];

const kindOfMembers = (name: string): JobKind<RemovalServices> | undefined =>
  KINDS_OF_MEMBERS.find((kind) => kind.name === name);

/** What is still to be done in a project. */
export async function listJobs(
  { engine }: { readonly engine: Engine },
  projectId: Id,
): Promise<ShownJobs> {
  const page = await engine.records<JobRecord>(projectId, JOBS).list({
    filter: ALL,
    sort: [{ path: "dueAt", descending: false }],
    limit: JOBS_SHOWN_MAX,
    total: true,
  });
  return { jobs: page.records().map(shown), total: page.total! };
}

const shown = (job: JobRecord): ShownJob => ({
  id: job._id,
  kind: job.kind,
  subject: subjectOf(job),
  createdAt: job.createdAt,
  dueAt: job.dueAt,
  isRunning: (job.claimedBy ?? null) !== null,
  tries: job.tries,
  failure: failureOf(job),
});

function subjectOf({ kind, subject }: JobRecord): string | null {
  if (kindOfMembers(kind) === undefined) return null;
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
  const kind = kindOfMembers(job.kind);
  if (kind === undefined) return false;
  const isStopping = deadlinePassed(services.clock, TRY_MS);
  await services.jobRunner.runNow(services, kind, {
    space: projectId,
    which: eq("_id", id),
    isStopping,
  });
  return await jobs.get(id) === null;
}

import { deadlinePassed } from "../clock.ts";
import { COLLECTION_REMOVAL } from "../documents/collection_removals.ts";
import {
  type FileReferenceServices,
  UNREFERENCED_FILE_REMOVAL,
} from "../documents/file_references.ts";
import { type FileServices, OBJECT_REMOVAL } from "../files/removals.ts";
import { INTERNAL_TARGET } from "../files/stores.ts";
import { parseId } from "../ids.ts";
import { type JobKind, type JobRecord, JOBS } from "../jobs/jobs.ts";
import { JOBS_SHOWN_MAX } from "../limits.ts";
import { ALL, eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";

export interface JobDetails {
  readonly id: Id;
  readonly kind: string;
  /** Object or collection; null if members may not see it. */
  readonly subject: string | null;
  readonly createdAt: string;
  /** Time of the next attempt if the job is not running. */
  readonly dueAt: string;
  readonly isRunning: boolean;
  /** Number of attempts, including a running one. */
  readonly tries: number;
  /** Reason for the last failure, without internals of the server; null if there was none. */
  readonly failure: string | null;
}

export interface JobList {
  /** The first jobs in the order in which they are due. */
  readonly jobs: readonly JobDetails[];
  readonly total: number;
}

type RemovalServices = FileServices & FileReferenceServices;

/** Kinds of jobs that are caused by actions of members. */
const MEMBER_JOB_KINDS: readonly JobKind<RemovalServices>[] = [
  OBJECT_REMOVAL,
  COLLECTION_REMOVAL,
  UNREFERENCED_FILE_REMOVAL,
];

const findMemberJobKind = (name: string): JobKind<RemovalServices> | undefined =>
  MEMBER_JOB_KINDS.find((kind) => kind.name === name);

export async function listJobs(
  { engine }: { readonly engine: Engine },
  projectId: Id,
): Promise<JobList> {
  const page = await engine.records<JobRecord>(projectId, JOBS).list({
    filter: ALL,
    sort: [{ path: "dueAt", descending: false }],
    limit: JOBS_SHOWN_MAX,
    total: true,
  });
  return { jobs: page.records().map(toJobDetails), total: page.total! };
}

const toJobDetails = (job: JobRecord): JobDetails => ({
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
  if (findMemberJobKind(kind) === undefined) return null;
  // The table of a collection is named by the collection and an id.
  return kind === COLLECTION_REMOVAL.name ? subject.split(".")[0]! : subject;
}

const BUCKET_ERROR = /^BlobsUnavailable: (.+)$/;

/** Returns the error of a project's own bucket. Other errors may reveal internals of the server. */
function failureOf({ kind, lane, lastError }: JobRecord): string | null {
  if (lastError === null) return null;
  const isInOwnBucket = kind === OBJECT_REMOVAL.name && lane !== INTERNAL_TARGET;
  const [, reason] = isInOwnBucket ? BUCKET_ERROR.exec(lastError) ?? [] : [];
  return reason ?? "The server could not do it: its log says why.";
}

/** The caller waits for an attempt. */
const TRY_MAX_MS = 5_000;

/** Returns whether the job is done. A job that takes longer continues in the background. */
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
  const kind = findMemberJobKind(job.kind);
  if (kind === undefined) return false;
  const isStopping = deadlinePassed(services.clock, TRY_MAX_MS);
  await services.jobRunner.runNow(services, kind, {
    space: projectId,
    which: eq("_id", id),
    isStopping,
  });
  return await jobs.get(id) === null;
}

import { timestamp } from "@/lib/clock.ts";
import { AI_CHATS } from "@/lib/ai/chats.ts";
import { ACCOUNT_SESSIONS } from "@/lib/accounts/session_records.ts";
import { ACCOUNT_TOKENS } from "@/lib/accounts/token_records.ts";
import { CODES, SENDINGS, WRONG_CODES } from "@/lib/credentials/codes.ts";
import { PASSWORD_TRIES, SIGN_IN_FAILURES } from "@/lib/credentials/sign_in_attempts.ts";
import { KEPT_ANSWERS } from "@/lib/documents/idempotency.ts";
import { EXCHANGE_CODES } from "@/lib/auth/exchange_codes.ts";
import { REFRESH_TOKENS } from "@/lib/auth/refresh_tokens.ts";
import { SESSIONS } from "@/lib/auth/sessions.ts";
import { LIVE_TICKETS } from "@/lib/events/live/tickets.ts";
import { QUESTIONS } from "@/lib/documents/question_records.ts";
import { RATE_COUNTS } from "@/lib/http/stored_counts.ts";
import { compileCollections } from "@/lib/documents/save_collection.ts";
import { type FileReferenceServices, removableRecords } from "@/lib/documents/file_references.ts";
import { purgeTrash } from "@/lib/documents/trash.ts";
import { reap } from "@/lib/files/reaper.ts";
import { eachProject } from "@/lib/projects/projects.ts";
import { FORMER_KEYS } from "@/lib/projects/api_keys.ts";
import { REQUEST_COUNTS } from "@/lib/projects/request_counts.ts";
import { REQUEST_LOG } from "@/lib/projects/request_log.ts";
import { INVITATIONS } from "@/lib/projects/invitations.ts";
import { migrateControlQueue, migrateRemovalNotes } from "@/lib/operations/migrate_queues.ts";
import { removeAbandonedImports, removeExpiredTrash } from "@/lib/operations/project_trash.ts";
import { removeUnfinishedProjects } from "@/lib/projects/remove_unfinished_projects.ts";
import { JOBS } from "@/lib/jobs/jobs.ts";
import { ALL } from "@/lib/store/filter.ts";
import { DELIVERIES } from "@/lib/events/webhooks/records.ts";

import type { Services } from "@/lib/services.ts";
import { serverIdentity } from "./listening.ts";
import { dropOldBodies } from "@/lib/events/webhooks/stored_bodies.ts";
import { SIGN_IN_STATES } from "@/lib/social/states.ts";
import { byCorbel } from "@/lib/store/changes.ts";
import { MAIL_TEXTS, MAILS } from "@/lib/mail/mails.ts";
import { dropSharedTexts } from "@/lib/mail/shared_texts.ts";
import { purgeExpired } from "@/lib/store/expiry.ts";
import type { Id } from "@/lib/store/port.ts";

const HOUR_MS = 3_600_000;
/** Interval in which abandoned uploads are removed, which occupy quota and objects. */
const REAP_EVERY_MS = 600_000;

/** Types of a project's records that expire. */
const EXPIRING = [
  SESSIONS,
  REFRESH_TOKENS,
  EXCHANGE_CODES,
  SIGN_IN_STATES,
  KEPT_ANSWERS,
  CODES,
  SENDINGS,
  WRONG_CODES,
  MAIL_TEXTS,
  MAILS,
  LIVE_TICKETS,
  DELIVERIES,
];

/** Types of records of the control space that expire. */
const EXPIRING_CONTROL = [
  ACCOUNT_SESSIONS,
  ACCOUNT_TOKENS,
  FORMER_KEYS,
  AI_CHATS,
  INVITATIONS,
  PASSWORD_TRIES,
  SIGN_IN_FAILURES,
  RATE_COUNTS,
  QUESTIONS,
  REQUEST_LOG,
  CODES,
  SENDINGS,
  WRONG_CODES,
  MAILS,
];

export interface MaintenanceCounts {
  readonly projects: number;
  /** Projects whose creation was interrupted. */
  readonly unfinished: number;
  readonly documents: number;
  readonly expired: number;
  /** Expired entries of the record of changes, if the database does not expire them itself. */
  readonly changes: number;
}

/** Removes what has expired or was abandoned. Several processes may run it concurrently. */
export async function maintain(
  services: Pick<
    Services,
    "engine" | "clock" | "newId" | "blobStores" | "log" | "jobRunner"
  >,
  stopped: () => boolean = () => false,
): Promise<MaintenanceCounts> {
  const { engine, clock, jobRunner } = services;
  let [documents, expired, changes] = [0, 0, 0];
  for (const definition of EXPIRING_CONTROL) {
    expired += await purgeExpired(engine.records("control", definition), definition, clock);
  }
  await engine.deleteLeftovers();
  const projects = await removeExpiredTrash(services, stopped) +
    await removeAbandonedImports(services, stopped);
  const unfinished = await removeUnfinishedProjects(services, stopped);
  const failures: unknown[] = [];
  for await (const { _id: projectId } of eachProject(services)) {
    if (stopped()) return { projects, unfinished, documents, expired, changes };
    try {
      await migrateRemovalNotes(services, projectId);
      documents += await purgeDocuments(services, projectId, stopped);
      changes += await engine.changes.trim(projectId, timestamp(clock));
      await dropOldBodies(services, projectId);
      await dropSharedTexts(services, projectId);
      // Earlier versions did not announce jobs of all kinds.
      if (await engine.records(projectId, JOBS).findOne(ALL) !== null) {
        await jobRunner.announce(projectId);
      }
      for (const definition of EXPIRING) {
        expired += await purgeExpired(engine.records(projectId, definition), definition, clock);
      }
    } catch (error) {
      failures.push(error); // A project that cannot be used does not hold up the others.
    }
  }
  const counts = engine.records("control", REQUEST_COUNTS);
  expired += await purgeExpired(counts, REQUEST_COUNTS, clock);
  if (failures.length > 0) {
    throw new AggregateError(failures, `${failures.length} projects were left out: ${failures[0]}`);
  }
  return { projects, unfinished, documents, expired, changes };
}

async function purgeDocuments(
  services: FileReferenceServices,
  projectId: Id,
  stopped: () => boolean,
): Promise<number> {
  let documents = 0;
  for (const { id, records, files } of await compileCollections(services, projectId)) {
    if (stopped()) return documents;
    const writing = byCorbel(timestamp(services.clock));
    const holders = { projectId, collectionId: id!, files, records, writing };
    documents += await purgeTrash(services, removableRecords(services, holders));
  }
  return documents;
}

/** Starts the job runner, with {@linkcode maintain} and {@linkcode reap} as recurring jobs. */
export async function startMaintenance(services: Services): Promise<void> {
  const { config, jobRunner } = services;
  await migrateControlQueue(services);
  jobRunner.serveAt(serverIdentity(config));
  await jobRunner.start([
    { kind: "maintain", everyMs: HOUR_MS, run: maintain },
    { kind: "reap", everyMs: REAP_EVERY_MS, run: reap },
  ]);
}

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
import { storedCollections } from "@/lib/documents/save_collection.ts";
import { type FileReferenceServices, removableRecords } from "@/lib/documents/file_references.ts";
import { purgeTrash } from "@/lib/documents/trash.ts";
import { reap } from "@/lib/files/reaper.ts";
import { eachProject } from "@/lib/projects/projects.ts";
import { FORMER_KEYS } from "@/lib/projects/api_keys.ts";
import { REQUEST_COUNTS } from "@/lib/projects/request_counts.ts";
import { REQUEST_LOG } from "@/lib/projects/request_log.ts";
import { INVITATIONS } from "@/lib/projects/invitations.ts";
import { adoptNotes, adoptQueue } from "@/lib/operations/adopt_notes.ts";
import { removeAbandonedImports, removeTrashed } from "@/lib/operations/project_trash.ts";
import { removeUnfinished } from "@/lib/projects/unfinished.ts";
import { JOBS } from "@/lib/jobs/jobs.ts";
import { ALL } from "@/lib/store/filter.ts";
import { DELIVERIES } from "@/lib/events/webhooks/records.ts";

import type { Services } from "@/lib/services.ts";
import { servedAt } from "./listening.ts";
import { dropOldBodies } from "@/lib/events/webhooks/kept_bodies.ts";
import { SIGN_IN_STATES } from "@/lib/social/states.ts";
import { byCorbel } from "@/lib/store/changes.ts";
import { MAIL_TEXTS, MAILS } from "@/lib/mail/mails.ts";
import { dropSharedTexts } from "@/lib/mail/shared_texts.ts";
import { purgeExpired } from "@/lib/store/expiry.ts";
import type { Id } from "@/lib/store/port.ts";

const HOUR_MS = 3_600_000;
/** Uploads that were given up hold space and objects. */
const REAP_EVERY_MS = 600_000;

/** Records of a project that pass away by themselves. */
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

/** The same of the control space. */
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

/** What one pass removed. */
export interface Removed {
  readonly projects: number;
  /** Projects whose creation was killed. */
  readonly unfinished: number;
  readonly documents: number;
  readonly expired: number;
  /** Old notes of the record of changes, where no server removes them by itself. */
  readonly changes: number;
}

/**
 * Removes deleted projects, what killed processes have left, and old trash and expired records of
 * every project and of those who own them. Several processes may do so at once.
 */
export async function maintain(
  services: Pick<
    Services,
    "engine" | "clock" | "newId" | "blobStores" | "log" | "jobRunner"
  >,
  stopped: () => boolean = () => false,
): Promise<Removed> {
  const { engine, clock, jobRunner } = services;
  let [documents, expired, changes] = [0, 0, 0];
  for (const definition of EXPIRING_CONTROL) {
    expired += await purgeExpired(engine.records("control", definition), definition, clock);
  }
  await engine.tidy();
  const projects = await removeTrashed(services, stopped) +
    await removeAbandonedImports(services, stopped);
  const unfinished = await removeUnfinished(services, stopped);
  const failures: unknown[] = [];
  for await (const { _id: projectId } of eachProject(services)) {
    if (stopped()) return { projects, unfinished, documents, expired, changes };
    try {
      await adoptNotes(services, projectId);
      documents += await purgeDocuments(services, projectId, stopped);
      changes += await engine.changes.trim(projectId, timestamp(clock));
      await dropOldBodies(services, projectId);
      await dropSharedTexts(services, projectId);
      // Versions before this one did not announce the jobs of all kinds.
      if (await engine.records(projectId, JOBS).findOne(ALL) !== null) {
        await jobRunner.announce(projectId);
      }
      for (const definition of EXPIRING) {
        expired += await purgeExpired(engine.records(projectId, definition), definition, clock);
      }
    } catch (error) {
      failures.push(error); // One project that cannot be used keeps nobody else waiting.
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
  for (const { id, records, files } of await storedCollections(services, projectId)) {
    if (stopped()) return documents;
    const writing = byCorbel(timestamp(services.clock));
    const holders = { projectId, collectionId: id!, files, records, writing };
    documents += await purgeTrash(services, removableRecords(services, holders));
  }
  return documents;
}

/** Begins to run due jobs, with {@linkcode maintain} and {@linkcode reap} as recurring ones. */
export async function startMaintenance(services: Services): Promise<void> {
  const { config, jobRunner } = services;
  await adoptQueue(services);
  jobRunner.serveAt(servedAt(config));
  await jobRunner.start([
    { kind: "maintain", everyMs: HOUR_MS, run: maintain },
    { kind: "reap", everyMs: REAP_EVERY_MS, run: reap },
  ]);
}

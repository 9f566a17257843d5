import { AI_CHATS } from "@/lib/ai/chats.ts";
import { ACCOUNT_SESSIONS } from "@/lib/accounts/session_records.ts";
import { PASSWORD_TRIES, SIGN_IN_FAILURES } from "@/lib/accounts/sign_in_attempts.ts";
import { KEPT_ANSWERS } from "@/lib/documents/idempotency.ts";
import { EXCHANGE_CODES } from "@/lib/auth/exchange_codes.ts";
import { REFRESH_TOKENS } from "@/lib/auth/refresh_tokens.ts";
import { SESSIONS } from "@/lib/auth/sessions.ts";
import type { StoredDocument } from "@/lib/documents/collection.ts";
import { finishRemovals } from "@/lib/documents/removed_collections.ts";
import { RATE_COUNTS } from "@/lib/http/stored_counts.ts";
import { storedCollections } from "@/lib/documents/save_collection.ts";
import { purgeTrash } from "@/lib/documents/trash.ts";
import { reap } from "@/lib/files/reaper.ts";
import { eachProject } from "@/lib/projects/projects.ts";
import { REQUEST_COUNTS } from "@/lib/projects/request_counts.ts";
import { INVITATIONS } from "@/lib/projects/invitations.ts";
import { removeTrashed } from "@/lib/operations/project_trash.ts";
import { removeUnfinished } from "@/lib/projects/unfinished.ts";
import type { Services } from "@/lib/services.ts";
import { SIGN_IN_STATES } from "@/lib/social/states.ts";
import { purgeExpired } from "@/lib/store/expiry.ts";
import type { Id } from "@/lib/store/port.ts";

const FIRST_PASS_MS = 60_000;
const PASS_EVERY_MS = 3_600_000;
/** How much longer a pause is than the pass before it, before it is spread, at least. */
const REST = 100;
/** Uploads that were given up hold space and objects. */
const REAP_EVERY_MS = 600_000;

/** Records of a project that pass away by themselves. */
const EXPIRING = [SESSIONS, REFRESH_TOKENS, EXCHANGE_CODES, SIGN_IN_STATES, KEPT_ANSWERS];

/** The same of the control space. */
const EXPIRING_CONTROL = [
  ACCOUNT_SESSIONS,
  AI_CHATS,
  INVITATIONS,
  PASSWORD_TRIES,
  SIGN_IN_FAILURES,
  RATE_COUNTS,
];

/** What one pass removed. */
export interface Removed {
  readonly projects: number;
  /** Projects whose creation was killed. */
  readonly unfinished: number;
  readonly documents: number;
  readonly expired: number;
}

/**
 * Removes deleted projects, what killed processes have left, and old trash and expired records of
 * every project and of those who own them. Several processes may do so at once.
 */
export async function maintain(
  services: Pick<Services, "engine" | "clock" | "blobStores" | "log">,
  stopped: () => boolean = () => false,
): Promise<Removed> {
  const { engine, clock } = services;
  let [documents, expired] = [0, 0];
  for (const definition of EXPIRING_CONTROL) {
    expired += await purgeExpired(engine.records("control", definition), definition, clock);
  }
  await engine.tidy?.();
  const projects = await removeTrashed(services, stopped);
  const unfinished = await removeUnfinished(services, stopped);
  const failures: unknown[] = [];
  for await (const { _id: projectId } of eachProject(services)) {
    if (stopped()) return { projects, unfinished, documents, expired };
    try {
      documents += await purgeDocuments(services, projectId, stopped);
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
  return { projects, unfinished, documents, expired };
}

async function purgeDocuments(
  services: Pick<Services, "engine" | "clock">,
  projectId: Id,
  stopped: () => boolean,
): Promise<number> {
  let documents = 0;
  for (const { records } of await storedCollections(services, projectId)) {
    if (stopped()) return documents;
    const kept = services.engine.records<StoredDocument>(projectId, records);
    documents += await purgeTrash(services, kept);
  }
  return documents + await finishRemovals(services, projectId, stopped);
}

/** Runs {@linkcode maintain} and {@linkcode reap} now and then, until it is disposed of. */
export function startMaintenance(services: Services): AsyncDisposable {
  const passes = [
    repeated(services, "Maintenance", PASS_EVERY_MS, (stopped) => maintain(services, stopped)),
    repeated(services, "Clearing of uploads", REAP_EVERY_MS, (stopped) => reap(services, stopped)),
  ];
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(passes.map((pass) => pass[Symbol.asyncDispose]()));
    },
  };
}

function repeated(
  { log }: Pick<Services, "log">,
  what: string,
  everyMs: number,
  work: (stopped: () => boolean) => Promise<object>,
): AsyncDisposable {
  let stopped = false;
  let running: Promise<void> = Promise.resolve();

  async function pass(): Promise<void> {
    const began = performance.now();
    try {
      log.write("debug", `${what} done`, { ...await work(() => stopped) });
    } catch (error) {
      log.write("error", `${what} failed`, { error: String(error) });
    }
    if (!stopped) schedule(Math.max(everyMs, REST * (performance.now() - began)));
  }

  let timer: ReturnType<typeof setTimeout> | undefined;
  function schedule(ms: number): void {
    // Spread, so that processes started together do not all begin at once.
    timer = setTimeout(() => running = pass(), ms * (0.5 + Math.random()));
  }
  schedule(FIRST_PASS_MS);

  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

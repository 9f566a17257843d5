import { KEPT_ANSWERS } from "@/lib/documents/idempotency.ts";
import { EXCHANGE_CODES } from "@/lib/auth/exchange_codes.ts";
import { REFRESH_TOKENS } from "@/lib/auth/refresh_tokens.ts";
import { SESSIONS } from "@/lib/auth/sessions.ts";
import { compileCollection, type StoredDocument } from "@/lib/documents/collection.ts";
import { listCollections } from "@/lib/documents/save_collection.ts";
import { purgeTrash } from "@/lib/documents/trash.ts";
import { reap } from "@/lib/files/reaper.ts";
import { eachProject } from "@/lib/projects/projects.ts";
import type { Services } from "@/lib/services.ts";
import { SIGN_IN_STATES } from "@/lib/social/states.ts";
import { purgeExpired } from "@/lib/store/expiry.ts";

const FIRST_PASS_MS = 60_000;
const PASS_EVERY_MS = 3_600_000;
/** How much longer a pause is than the pass before it, before it is spread, at least. */
const REST = 100;
/** Uploads that were given up hold space and objects. */
const REAP_EVERY_MS = 600_000;

/** Records of a project that pass away by themselves. */
const EXPIRING = [SESSIONS, REFRESH_TOKENS, EXCHANGE_CODES, SIGN_IN_STATES, KEPT_ANSWERS];

/** What one pass removed. */
export interface Removed {
  readonly documents: number;
  readonly expired: number;
}

/** Removes old trash and expired records of every project. Several processes may do so at once. */
export async function maintain(
  services: Pick<Services, "engine" | "clock">,
  stopped: () => boolean = () => false,
): Promise<Removed> {
  const { engine, clock } = services;
  let [documents, expired] = [0, 0];
  for await (const { _id: projectId } of eachProject(services)) {
    for (const definition of await listCollections(services, projectId)) {
      if (stopped()) return { documents, expired };
      const { records } = compileCollection(definition);
      documents += await purgeTrash(services, engine.records<StoredDocument>(projectId, records));
    }
    for (const definition of EXPIRING) {
      expired += await purgeExpired(engine.records(projectId, definition), definition, clock);
    }
  }
  return { documents, expired };
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

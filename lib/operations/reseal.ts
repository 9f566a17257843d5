import { DEMO_SEALS } from "../accounts/demo_account.ts";
import { ACCOUNT_AI_KEYS, PROJECT_AI_KEYS } from "../ai/keys.ts";
import { LIVE_TICKET_SEALS } from "../events/live/tickets.ts";
import { SIGNING_KEY_SEALS } from "../projects/signing_keys.ts";
import type { Clock } from "../clock.ts";
import type { KeyRing } from "../crypto/key_ring.ts";
import type { SealedPlace } from "../crypto/sealed_place.ts";
import { retireOthers } from "../runtime/known_keys.ts";
import { SIGN_IN_SEALS } from "../social/states.ts";
import { ALL, and, eq } from "../store/filter.ts";
import type { Engine, Id, StoredRecord } from "../store/port.ts";
import { eachProject } from "../projects/projects.ts";
import { MAIL_SEALS } from "../mail/settings.ts";
import { PROVIDER_SEALS } from "../projects/providers.ts";
import { WEBHOOK_SEALS } from "../events/webhooks/signatures.ts";
import { STORAGE_SEALS } from "../files/storage_settings.ts";

/** Everything that is kept sealed, and where. */
export const CONTROL_SEALS: readonly SealedPlace[] = [
  ACCOUNT_AI_KEYS,
  PROJECT_AI_KEYS,
  DEMO_SEALS,
];
export const PROJECT_SEALS: readonly SealedPlace[] = [
  SIGNING_KEY_SEALS,
  PROVIDER_SEALS,
  STORAGE_SEALS,
  SIGN_IN_SEALS,
  MAIL_SEALS,
  LIVE_TICKET_SEALS,
  ...WEBHOOK_SEALS,
];

export type Resealed = {
  /** How many values were under an older key. */
  resealed: number;
  /** False if some could not be opened: they are as they were. */
  ok: boolean;
  unopened: { project: Id | null; kind: string; id: Id }[];
};

interface ResealServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
}

/**
 * Seals everything under the first key of the ring that is under another one. Runs beside serving
 * processes: a value that somebody changes meanwhile stays as they left it, or is sealed anew in turn.
 * Once all is opened, and every process has this ring, the other keys can be dropped.
 */
export async function reseal(services: ResealServices): Promise<Resealed> {
  const result: Resealed = { resealed: 0, ok: true, unopened: [] };
  for (const place of CONTROL_SEALS) await resealPlace(services, place, null, result);
  // Those in the trash may come back.
  for await (const { _id: projectId } of eachProject(services, eq("removedAt", null))) {
    for (const place of PROJECT_SEALS) await resealPlace(services, place, projectId, result);
  }
  result.ok = result.unopened.length === 0;
  if (result.ok) await retireOthers(services, services.keyRing);
  return result;
}

async function resealPlace(
  services: ResealServices,
  place: SealedPlace,
  project: Id | null,
  result: Resealed,
): Promise<void> {
  const records = services.engine.records(project ?? "control", place.definition);
  for await (const record of records.find({ filter: ALL })) {
    try {
      if (await resealOne(services, place, project, record)) result.resealed++;
    } catch {
      result.unopened.push({ project, kind: place.definition.name, id: record._id });
    }
  }
}

/** Resolves to whether there was something to do. */
async function resealOne(
  { engine, keyRing }: ResealServices,
  { definition, member, binding }: SealedPlace,
  project: Id | null,
  found: StoredRecord,
): Promise<boolean> {
  const records = engine.records(project ?? "control", definition);
  for (let record: StoredRecord | undefined = found; record !== undefined;) {
    const sealed = record[member];
    if (typeof sealed !== "string") return false;
    const anew = await keyRing.reseal(sealed, binding(record, project));
    if (anew === null) return false;
    const unchanged = and(eq("_id", record._id), eq(member, sealed));
    if (await records.updateOne(unchanged, { set: { [member]: anew } }) !== null) return true;
    record = (await records.get(record._id))?.value;
  }
  return false;
}

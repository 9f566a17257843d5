import { DEMO_SEALS } from "../accounts/demo_account.ts";
import { ACCOUNT_AI_KEYS, PROJECT_AI_KEYS } from "../ai/keys.ts";
import { LIVE_TICKET_SEALS } from "../events/live/tickets.ts";
import { SIGNING_KEY_SEALS } from "../projects/signing_keys.ts";
import type { Clock } from "../clock.ts";
import type { KeyRing } from "../crypto/key_ring.ts";
import type { SealedField } from "../crypto/sealed_field.ts";
import { retireOtherKeys } from "../runtime/known_keys.ts";
import { SIGN_IN_SEALS } from "../social/states.ts";
import { ALL, and, eq } from "../store/filter.ts";
import type { Engine, Id, StoredRecord } from "../store/port.ts";
import { eachProject } from "../projects/projects.ts";
import { MAIL_SEALS } from "../mail/settings.ts";
import { PROVIDER_SEALS } from "../projects/providers.ts";
import { WEBHOOK_SEALS } from "../events/webhooks/signatures.ts";
import { STORAGE_SEALS } from "../files/storage_settings.ts";

export const CONTROL_SEALS: readonly SealedField[] = [ACCOUNT_AI_KEYS, PROJECT_AI_KEYS, DEMO_SEALS];

export const PROJECT_SEALS: readonly SealedField[] = [
  SIGNING_KEY_SEALS,
  PROVIDER_SEALS,
  STORAGE_SEALS,
  SIGN_IN_SEALS,
  MAIL_SEALS,
  LIVE_TICKET_SEALS,
  ...WEBHOOK_SEALS,
];

export type ResealResult = {
  resealed: number;
  /** False if some values could not be opened. They are unchanged. */
  ok: boolean;
  unopened: { project: Id | null; kind: string; id: Id }[];
};

interface ResealServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
}

/**
 * Reseals values that are not sealed with the ring's first key, also while the server is running.
 * If the result is `ok` and every process has this ring, the other keys can be removed.
 */
export async function reseal(services: ResealServices): Promise<ResealResult> {
  const result: ResealResult = { resealed: 0, ok: true, unopened: [] };
  for (const sealedField of CONTROL_SEALS) await resealField(services, sealedField, null, result);
  // Projects in the trash are included, because they can be restored.
  for await (const { _id: projectId } of eachProject(services, eq("removedAt", null))) {
    for (const sealedField of PROJECT_SEALS) {
      await resealField(services, sealedField, projectId, result);
    }
  }
  result.ok = result.unopened.length === 0;
  if (result.ok) await retireOtherKeys(services, services.keyRing);
  return result;
}

async function resealField(
  services: ResealServices,
  sealedField: SealedField,
  project: Id | null,
  result: ResealResult,
): Promise<void> {
  const records = services.engine.records(project ?? "control", sealedField.definition);
  for await (const record of records.find({ filter: ALL })) {
    try {
      if (await resealRecord(services, sealedField, project, record)) result.resealed++;
    } catch {
      result.unopened.push({ project, kind: sealedField.definition.name, id: record._id });
    }
  }
}

/** Returns whether there was a value to reseal. Starts over if the value changes. */
async function resealRecord(
  { engine, keyRing }: ResealServices,
  { definition, member, binding }: SealedField,
  project: Id | null,
  found: StoredRecord,
): Promise<boolean> {
  const records = engine.records(project ?? "control", definition);
  for (let record: StoredRecord | undefined = found; record !== undefined;) {
    const sealed = record[member];
    if (typeof sealed !== "string") return false;
    const resealedValue = await keyRing.reseal(sealed, binding(record, project));
    if (resealedValue === null) return false;
    const unchanged = and(eq("_id", record._id), eq(member, sealed));
    if (await records.updateOne(unchanged, { set: { [member]: resealedValue } }) !== null) {
      return true;
    }
    record = (await records.get(record._id))?.value;
  }
  return false;
}

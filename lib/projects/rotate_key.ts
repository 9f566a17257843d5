import { type Clock, timestamp } from "../clock.ts";
import { hashedId } from "../crypto/hashes.ts";
import { KEY_GRACE_HOURS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import {
  API_KEYS,
  type ApiKeyRecord,
  FORMER_KEYS,
  type FormerKeyRecord,
  generateApiKey,
  type KeyDirectory,
  type KeyKind,
  toStoredKey,
} from "./api_keys.ts";

interface KeyServices {
  readonly engine: Engine;
  readonly keys: KeyDirectory;
  readonly clock: Clock;
}

export interface RotatedKey {
  readonly kind: KeyKind;
  readonly key: string;
  /** Expiry of the replaced key; null if it is no longer valid. */
  readonly formerValidUntil: string | null;
}

/** Throws `INVALID_INPUT`. */
export function parseGraceHours(text: string): number {
  const hours = /^\d{1,2}$/.test(text) ? Number(text) : NaN;
  if (hours <= KEY_GRACE_HOURS_MAX) return hours;
  const message = `The grace must be a whole number of hours from 0 to ${KEY_GRACE_HOURS_MAX}.`;
  throw new Problem("INVALID_INPUT", { message });
}

const HOUR_MS = 3_600_000;

/**
 * The replaced key stays valid for `graceHours`; the key of an earlier rotation becomes invalid.
 * Throws `PROJECT_NOT_FOUND`.
 */
export async function rotateKey(
  { engine, keys, clock }: KeyServices,
  projectId: Id,
  { kind, graceHours = 0 }: { readonly kind: KeyKind; readonly graceHours?: number },
): Promise<RotatedKey> {
  const key = generateApiKey(kind);
  const change = {
    set: { ...toStoredKey(kind, key), createdAt: timestamp(clock), seenInBrowser: null },
  };
  const expiresAt = new Date(clock.now() + graceHours * HOUR_MS).toISOString();
  await engine.transaction("control", async (tx) => {
    const current = tx.records<ApiKeyRecord>(API_KEYS);
    const before = await current.findOne(and(eq("projectId", projectId), eq("kind", kind)));
    if (before === null) throw new Problem("PROJECT_NOT_FOUND");
    const formerKeys = tx.records<FormerKeyRecord>(FORMER_KEYS);
    const _id = formerId(projectId, kind);
    await current.updateOne(eq("_id", before.value._id), change);
    if (graceHours === 0) return void await formerKeys.deleteOne(eq("_id", _id));
    const former = { hash: before.value.hash, expiresAt };
    await formerKeys.upsert(eq("_id", _id), { set: former }, { _id, projectId, kind, ...former });
  });
  keys.forget(projectId);
  return { kind, key, formerValidUntil: graceHours === 0 ? null : expiresAt };
}

/** Returns whether there was a valid former key. */
export async function endFormerKey(
  { engine, keys, clock }: KeyServices,
  projectId: Id,
  kind: KeyKind,
): Promise<boolean> {
  const ended = await engine.records<FormerKeyRecord>("control", FORMER_KEYS).deleteOne(
    and(eq("_id", formerId(projectId, kind)), compare("expiresAt", "gt", timestamp(clock))),
  );
  keys.forget(projectId);
  return ended !== null;
}

const formerId = (projectId: Id, kind: KeyKind): Id => hashedId(`${projectId} ${kind}`);

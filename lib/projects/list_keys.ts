import { type Clock, timestamp } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { and, compare, eq, within } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import {
  API_KEYS,
  type ApiKeyRecord,
  FORMER_KEYS,
  type FormerKeyRecord,
  KEY_KINDS,
  type KeyKind,
} from "./api_keys.ts";

export interface KeyDetails {
  readonly kind: KeyKind;
  /** Null for a secret key, or if only the hash is stored. */
  readonly key: string | null;
  /** Start of a secret key; null if it is not stored. */
  readonly start: string | null;
  readonly createdAt: string;
  /** Expiry of the key that this one replaced by rotation; null if it has expired. */
  readonly formerValidUntil: string | null;
}

/** Lists the publishable key first. */
export async function listKeys(
  { engine, clock }: { engine: Engine; clock: Clock },
  projectId: Id,
): Promise<KeyDetails[]> {
  const inProject = eq("projectId", projectId);
  const valid = and(inProject, compare("expiresAt", "gt", timestamp(clock)));
  const [keys, formerKeys] = await Promise.all([
    Array.fromAsync(engine.records<ApiKeyRecord>("control", API_KEYS).find({ filter: inProject })),
    Array.fromAsync(
      engine.records<FormerKeyRecord>("control", FORMER_KEYS).find({ filter: valid }),
    ),
  ]);
  const endOf = (kind: KeyKind) => formerKeys.find((one) => one.kind === kind)?.expiresAt ?? null;
  return keys.toSorted((a, b) => KEY_KINDS.indexOf(a.kind) - KEY_KINDS.indexOf(b.kind))
    .map((record) => ({
      kind: record.kind,
      key: keyTextOf(record),
      start: record.start ?? null,
      createdAt: record.createdAt,
      formerValidUntil: endOf(record.kind),
    }));
}

/** Returns null if only the hash is stored: for a key of an earlier version, or an imported one. */
export async function publishableKeyOf(
  services: { engine: Engine },
  projectId: Id,
): Promise<string | null> {
  return (await publishableKeysOf(services, [projectId])).get(projectId) ?? null;
}

/** Returns keys by project id. */
export async function publishableKeysOf(
  { engine }: { engine: Engine },
  projectIds: readonly Id[],
): Promise<ReadonlyMap<Id, string>> {
  const filter = and(within("projectId", projectIds), eq("kind", "publishable"));
  const keys = new Map<Id, string>();
  for await (const record of engine.records<ApiKeyRecord>("control", API_KEYS).find({ filter })) {
    const text = keyTextOf(record);
    if (text !== null) keys.set(record.projectId, text);
  }
  return keys;
}

/** Compares the hash, which an import may have replaced. */
const keyTextOf = ({ text, hash }: ApiKeyRecord): string | null =>
  text !== undefined && sha256(text) === hash ? text : null;

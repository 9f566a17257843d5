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

/** A key as a project's members see it. */
export interface ShownKey {
  readonly kind: KeyKind;
  /** The key itself, where it is publishable; null of a secret one, and where only its hash is known. */
  readonly key: string | null;
  /** The first characters of a secret key; null where they are not known. */
  readonly start: string | null;
  readonly createdAt: string;
  /** Until when the key before works as well; null if none does. */
  readonly formerValidUntil: string | null;
}

/** The keys of a project, the publishable one first. */
export async function listKeys(
  { engine, clock }: { engine: Engine; clock: Clock },
  projectId: Id,
): Promise<ShownKey[]> {
  const its = eq("projectId", projectId);
  const valid = and(its, compare("expiresAt", "gt", timestamp(clock)));
  const [keys, formerKeys] = await Promise.all([
    Array.fromAsync(engine.records<ApiKeyRecord>("control", API_KEYS).find({ filter: its })),
    Array.fromAsync(
      engine.records<FormerKeyRecord>("control", FORMER_KEYS).find({ filter: valid }),
    ),
  ]);
  const endOf = (kind: KeyKind) => formerKeys.find((one) => one.kind === kind)?.expiresAt ?? null;
  return keys.toSorted((a, b) => KEY_KINDS.indexOf(a.kind) - KEY_KINDS.indexOf(b.kind))
    .map((record) => ({
      kind: record.kind,
      key: textOf(record),
      start: record.start ?? null,
      createdAt: record.createdAt,
      formerValidUntil: endOf(record.kind),
    }));
}

/**
 * The publishable key of a project; null where it was made by an earlier version, or elsewhere: then
 * only its hash is known.
 */
export async function publishableKeyOf(
  services: { engine: Engine },
  projectId: Id,
): Promise<string | null> {
  return (await publishableKeysOf(services, [projectId])).get(projectId) ?? null;
}

/** The same of many projects at once, by their ids. */
export async function publishableKeysOf(
  { engine }: { engine: Engine },
  projectIds: readonly Id[],
): Promise<ReadonlyMap<Id, string>> {
  const filter = and(within("projectId", projectIds), eq("kind", "publishable"));
  const known = new Map<Id, string>();
  for await (const record of engine.records<ApiKeyRecord>("control", API_KEYS).find({ filter })) {
    const text = textOf(record);
    if (text !== null) known.set(record.projectId, text);
  }
  return known;
}

/** The hash alone decides, and an import brings another one. */
const textOf = ({ text, hash }: ApiKeyRecord): string | null =>
  text !== undefined && sha256(text) === hash ? text : null;

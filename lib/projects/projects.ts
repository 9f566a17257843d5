import {
  API_KEYS,
  type ApiKeyRecord,
  keptOfKey,
  type KeyDirectory,
  newApiKey,
} from "./api_keys.ts";
import { KEY_KINDS, type KeyKind } from "./api_keys.ts";
import { type Clock, timestamp } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import { Problem } from "../problems.ts";
import { and, eq } from "../store/filter.ts";
import type { Engine, Filter, Id } from "../store/port.ts";
import { IN_USE, IS_WHOLE, isTrashed, type ProjectRecord, PROJECTS } from "./records.ts";

/** A project that is in use. Throws `PROJECT_NOT_FOUND`. */
export async function findProject(
  { engine }: { engine: Engine },
  id: Id,
): Promise<ProjectRecord> {
  const project = await engine.records<ProjectRecord>("control", PROJECTS).get(id);
  if (project === null || isTrashed(project.value)) throw new Problem("PROJECT_NOT_FOUND");
  return project.value;
}

/** Asked for a project that is none, an engine would make its space. */
export async function isInUse({ engine }: { engine: Engine }, projectId: Id): Promise<boolean> {
  const project = await engine.records<ProjectRecord>("control", PROJECTS).get(projectId);
  return project !== null && !isTrashed(project.value);
}

/**
 * Every project that is in use and whole, in the order of their ids. @param which For those in the trash too:
 * `ALL`. What touches the space of one that is being removed makes a new one in its place.
 */
export function eachProject(
  { engine }: { engine: Engine },
  which: Filter = and(IN_USE, IS_WHOLE),
): AsyncGenerator<ProjectRecord> {
  return engine.records<ProjectRecord>("control", PROJECTS).find({ filter: which });
}

/** Throws `INVALID_INPUT` for what names no kind of key. */
export function checkedKeyKind(text: string): KeyKind {
  const kind = KEY_KINDS.find((one) => one === text);
  if (kind !== undefined) return kind;
  throw new Problem("INVALID_INPUT", { message: "The kind must be publishable or secret." });
}

/**
 * The publishable key of a project; null where it was made by an earlier version, or elsewhere: then
 * only its hash is known.
 */
export async function publishableKeyOf(
  { engine }: { engine: Engine },
  projectId: Id,
): Promise<string | null> {
  const found = await engine.records<ApiKeyRecord>("control", API_KEYS)
    .findOne(and(eq("projectId", projectId), eq("kind", "publishable")));
  if (found === null) return null;
  const { text, hash } = found.value;
  // The hash alone decides, and an import brings another one.
  return text !== undefined && sha256(text) === hash ? text : null;
}

/** When each key of a project was made. */
export async function keysMadeAt(
  { engine }: { engine: Engine },
  projectId: Id,
): Promise<Partial<Record<KeyKind, string>>> {
  const found = engine.records<ApiKeyRecord>("control", API_KEYS)
    .find({ filter: eq("projectId", projectId) });
  const keys = await Array.fromAsync(found);
  return Object.fromEntries(keys.map(({ kind, createdAt }) => [kind, createdAt]));
}

/** Puts a fresh key in the place of the present one, which is refused from now on. */
export async function rotateKey(
  { engine, keys, clock }: { engine: Engine; keys: KeyDirectory; clock: Clock },
  projectId: Id,
  kind: KeyKind,
): Promise<string> {
  const key = newApiKey(kind);
  const rotated = await engine.records<ApiKeyRecord>("control", API_KEYS).updateOne(
    and(eq("projectId", projectId), eq("kind", kind)),
    { set: { ...keptOfKey(kind, key), createdAt: timestamp(clock) } },
  );
  if (rotated === null) throw new Problem("PROJECT_NOT_FOUND");
  keys.forget(projectId);
  return key;
}

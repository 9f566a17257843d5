import type { Caller } from "../auth/principals.ts";
import { POPULATE_LEVELS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { quoted } from "../text/input_text.ts";
import { didYouMean } from "../text/nearest.ts";
import { type AccessServices, grantRead, type ReadAccess, suggestReadableNames } from "./access.ts";
import type { Collection } from "./collection.ts";
import type { FieldDefinition } from "./fields.ts";
import { isServerField } from "./names.ts";
import {
  FILES_TARGET,
  firstReference,
  parsePopulatePath,
  type PopulateStep,
  referenceAt,
} from "./populate_path.ts";
import { type Part, partOfTargets, type Projection } from "./projection.ts";

/** Null if the caller may not see any target. */
export type PopulateTarget = ReadAccess | "users" | "files" | null;

export interface TargetLink {
  /** Path of the ids to follow, or the member that gets the list of documents that refer back. */
  readonly names: readonly string[];
  readonly target: PopulateTarget;
  /** Field of the target that refers back; null if ids are followed. */
  readonly by: string | null;
  readonly part: Part;
  readonly links: readonly TargetLink[];
}

/** A link while paths are parsed. Paths with the same beginning share it. */
interface LinkLevel extends Omit<TargetLink, "part" | "links"> {
  /** Name by which fields refer to the target. */
  readonly name: string;
  /** Declared fields; empty if the caller may not know them. */
  readonly fields: readonly FieldDefinition[];
  readonly isList: boolean;
  readonly inner: Map<string, LinkLevel>;
}

interface PopulateRequest {
  readonly collection: Collection;
  readonly paths: readonly string[];
  readonly projection: Projection | null;
}

/**
 * Accepts paths through a collection that the caller may not read, so that no error reveals its
 * fields. Throws `INVALID_QUERY` for other invalid paths.
 */
export async function resolveLinks(
  services: AccessServices,
  caller: Caller,
  { collection, paths, projection }: PopulateRequest,
): Promise<readonly TargetLink[]> {
  const { name, fields } = collection.definition;
  const root: LinkLevel = { ...ROOT_LINK, name, fields, inner: new Map() };
  for (const path of paths) {
    let level: LinkLevel | null = root;
    let steps: readonly PopulateStep[] = parsePopulatePath(path) ?? [];
    for (let depth = 1; level !== null && steps.length > 0; depth++) {
      if (depth > POPULATE_LEVELS_MAX) {
        throw invalid(path, `it follows more than ${POPULATE_LEVELS_MAX} references`);
      }
      const context: PathContext = { services, caller, path };
      const isBack: boolean = steps[0]!.by !== null;
      const next: LinkLevel = isBack
        ? await followBackward(context, level, steps)
        : await followForward(context, level, steps);
      steps = steps.slice(next.names.length);
      level = next.target === null ? null : next;
    }
  }
  return visibleLinks(root.inner, projection);
}

const ROOT_LINK = { names: [], target: null, by: null, isList: false };

interface PathContext {
  readonly services: AccessServices;
  readonly caller: Caller;
  readonly path: string;
}

const invalid = (path: string, why: string, hint = "") =>
  new Problem("INVALID_QUERY", {
    message: `"populate" cannot follow ${quoted(path)}: ${why}.${hint}`,
  });

const namesOf = (fields: readonly FieldDefinition[], is: (path: string) => boolean): string[] =>
  fields.map(({ key }) => key).filter(is);

async function followForward(
  context: PathContext,
  level: LinkLevel,
  steps: readonly PopulateStep[],
): Promise<LinkLevel> {
  const found = firstReference(level.fields, steps);
  if (found === null) {
    const { name } = steps[0]!;
    const known = namesOf(level.fields, (key) => referenceAt(level.fields, key) !== null);
    const why = `${quoted(name)} is not declared as a Ref, nor as a file`;
    throw invalid(context.path, why, didYouMean(name, known));
  }
  const { names, isList } = found;
  return await ensureLevel(level, names.join("."), async () => {
    const target = await forwardTarget(context, found.target);
    return { ...targetInfo(found.target, target), names, isList, by: null };
  });
}

async function followBackward(
  context: PathContext,
  level: LinkLevel,
  [step]: readonly PopulateStep[],
): Promise<LinkLevel> {
  const { name } = step!;
  const by = step!.by!;
  if (isServerField(name) || level.fields.some(({ key }) => key === name)) {
    throw invalid(context.path, `${quoted(name)} is a field of ${level.name}, and cannot be both`);
  }
  const other = level.inner.get(name);
  if (other !== undefined && other.by !== by) {
    throw invalid(context.path, `${quoted(name)} is already requested by another field`);
  }
  return await ensureLevel(level, name, async () => {
    const target = await openTarget(context, name, true);
    if (target !== null) {
      const { fields } = target.collection.definition;
      const refersHere = (key: string): boolean => {
        const found = referenceAt(fields, key);
        return found !== null && !found.isList && found.target === level.name;
      };
      if (!refersHere(by)) {
        const why = `${quoted(by)} of ${name} is not declared as a Ref to ${level.name}`;
        throw invalid(context.path, why, didYouMean(by, namesOf(fields, refersHere)));
      }
    }
    return { ...targetInfo(name, target), names: [name], isList: false, by };
  });
}

async function forwardTarget(context: PathContext, name: string): Promise<PopulateTarget> {
  if (name === "users") return "users";
  return name === FILES_TARGET ? "files" : await openTarget(context, name);
}

const targetInfo = (name: string, target: PopulateTarget) => ({
  name,
  target,
  fields: isCollectionTarget(target) ? target.collection.definition.fields : [],
});

export const isCollectionTarget = (target: PopulateTarget): target is ReadAccess =>
  target !== null && typeof target === "object";

async function ensureLevel(
  { inner }: LinkLevel,
  key: string,
  make: () => Promise<Omit<LinkLevel, "inner">>,
): Promise<LinkLevel> {
  let level = inner.get(key);
  if (level === undefined) inner.set(key, level = { ...await make(), inner: new Map() });
  return level;
}

/** Returns null if the caller may not read the collection. */
async function openTarget(
  { services, caller, path }: PathContext,
  name: string,
  mustBe = false,
): Promise<ReadAccess | null> {
  const collection = await services.catalog.find(caller.projectId, name);
  if (collection === null) {
    if (!mustBe) return null;
    const hint = didYouMean(name, await suggestReadableNames(services, caller, name));
    throw invalid(path, `there is no collection ${quoted(name)}`, hint);
  }
  try {
    return grantRead(services, caller, collection);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

function visibleLinks(
  levels: ReadonlyMap<string, LinkLevel>,
  projection: Projection | null,
): TargetLink[] {
  return [...levels.values()].flatMap(({ names, target, by, isList, inner }): TargetLink[] => {
    const part = partOfTargets(projection, names, isList);
    if (part === "nothing") return [];
    return [{ names, target, by, part, links: visibleLinks(inner, part === "all" ? null : part) }];
  });
}

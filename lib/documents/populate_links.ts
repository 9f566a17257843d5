import type { Caller } from "../auth/principals.ts";
import { POPULATE_LEVELS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { shown } from "../text/input_text.ts";
import { didYouMean } from "../text/nearest.ts";
import { type AccessServices, readableNames, type ReadAccess, readAccess } from "./access.ts";
import type { Collection } from "./collection.ts";
import type { FieldDefinition } from "./fields.ts";
import { isServerField } from "./names.ts";
import {
  FILES,
  firstReference,
  type PopulateStep,
  populateSteps,
  referenceAt,
} from "./populate_path.ts";
import { type Part, partBehind, type Projection } from "./projection.ts";

/** What is put in: documents of a collection, users or files; null where the caller may see none. */
export type Target = ReadAccess | "users" | "files" | null;

/** A level of `populate`: which other documents are put into documents, and where. */
export interface Link {
  /** Where the ids stand that are followed; of documents that refer back, what they are put under. */
  readonly names: readonly string[];
  readonly target: Target;
  /** The field of the target that refers back; null where ids are followed. */
  readonly by: string | null;
  /** Which part of a target is shown. */
  readonly part: Part;
  /** What is put into the targets. */
  readonly links: readonly Link[];
}

/** A level while paths are read: those that begin alike share it. */
interface Level extends Omit<Link, "part" | "links"> {
  /** What refers to a document of this level names it so. */
  readonly name: string;
  /** Declared fields; none where they are not to be told of. */
  readonly fields: readonly FieldDefinition[];
  readonly isList: boolean;
  readonly inner: Map<string, Level>;
}

interface Populated {
  readonly collection: Collection;
  readonly paths: readonly string[];
  readonly projection: Projection | null;
}

/**
 * What paths of `populate` ask for. A collection that the caller may not read at all is not looked
 * into: nothing of it is told, also not by a refusal. Throws `INVALID_QUERY`.
 */
export async function linksOf(
  services: AccessServices,
  caller: Caller,
  { collection, paths, projection }: Populated,
): Promise<readonly Link[]> {
  const { name, fields } = collection.definition;
  const root: Level = { ...NOWHERE, name, fields, inner: new Map() };
  for (const path of paths) {
    let level: Level | null = root;
    let steps: readonly PopulateStep[] = populateSteps(path) ?? [];
    for (let depth = 1; level !== null && steps.length > 0; depth++) {
      if (depth > POPULATE_LEVELS_MAX) {
        throw refuse(path, `it follows more than ${POPULATE_LEVELS_MAX} references`);
      }
      const way: Way = { services, caller, path };
      const isBack: boolean = steps[0]!.by !== null;
      const next: Level = isBack
        ? await backward(way, level, steps)
        : await forward(way, level, steps);
      steps = steps.slice(next.names.length);
      level = next.target === null ? null : next;
    }
  }
  return shownLinks(root.inner, projection);
}

const NOWHERE = { names: [], target: null, by: null, isList: false };

interface Way {
  readonly services: AccessServices;
  readonly caller: Caller;
  readonly path: string;
}

const refuse = (path: string, why: string, hint = "") =>
  new Problem("INVALID_QUERY", {
    message: `"populate" cannot follow ${shown(path)}: ${why}.${hint}`,
  });

const namesOf = (fields: readonly FieldDefinition[], is: (path: string) => boolean): string[] =>
  fields.map(({ key }) => key).filter(is);

async function forward(way: Way, level: Level, steps: readonly PopulateStep[]): Promise<Level> {
  const found = firstReference(level.fields, steps);
  if (found === null) {
    const { name } = steps[0]!;
    const known = namesOf(level.fields, (key) => referenceAt(level.fields, key) !== null);
    const why = `${shown(name)} is not declared as a Ref, nor as a file`;
    throw refuse(way.path, why, didYouMean(name, known));
  }
  const { names, isList } = found;
  return await levelAt(level, names.join("."), async () => {
    const target = await forwardTarget(way, found.target);
    return { ...describe(found.target, target), names, isList, by: null };
  });
}

async function backward(
  way: Way,
  level: Level,
  [step]: readonly PopulateStep[],
): Promise<Level> {
  const { name } = step!;
  const by = step!.by!;
  if (isServerField(name) || level.fields.some(({ key }) => key === name)) {
    throw refuse(way.path, `${shown(name)} is a field of ${level.name}, and cannot be both`);
  }
  const other = level.inner.get(name);
  if (other !== undefined && other.by !== by) {
    throw refuse(way.path, `${shown(name)} is asked for by another field too`);
  }
  return await levelAt(level, name, async () => {
    const target = await openTarget(way, name, true);
    if (target !== null) {
      const { fields } = target.collection.definition;
      const refersHere = (key: string): boolean => {
        const found = referenceAt(fields, key);
        return found !== null && !found.isList && found.target === level.name;
      };
      if (!refersHere(by)) {
        const why = `${shown(by)} of ${name} is not declared as a Ref to ${level.name}`;
        throw refuse(way.path, why, didYouMean(by, namesOf(fields, refersHere)));
      }
    }
    return { ...describe(name, target), names: [name], isList: false, by };
  });
}

async function forwardTarget(way: Way, name: string): Promise<Target> {
  if (name === "users") return "users";
  return name === FILES ? "files" : await openTarget(way, name);
}

const describe = (name: string, target: Target) => ({
  name,
  target,
  fields: isCollection(target) ? target.collection.definition.fields : [],
});

export const isCollection = (target: Target): target is ReadAccess =>
  target !== null && typeof target === "object";

async function levelAt(
  { inner }: Level,
  key: string,
  make: () => Promise<Omit<Level, "inner">>,
): Promise<Level> {
  let level = inner.get(key);
  if (level === undefined) inner.set(key, level = { ...await make(), inner: new Map() });
  return level;
}

/** Null for a collection that needs a signed-in user, and for one that is gone, if it may be. */
async function openTarget(
  { services, caller, path }: Way,
  name: string,
  mustBe = false,
): Promise<ReadAccess | null> {
  const collection = await services.catalog.find(caller.projectId, name);
  if (collection === null) {
    if (!mustBe) return null;
    const hint = didYouMean(name, await readableNames(services, caller, name));
    throw refuse(path, `there is no collection ${shown(name)}`, hint);
  }
  try {
    return readAccess(services, caller, collection);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

/** Those whose documents would be seen in the answer. */
function shownLinks(levels: ReadonlyMap<string, Level>, projection: Projection | null): Link[] {
  return [...levels.values()].flatMap(({ names, target, by, isList, inner }): Link[] => {
    const part = partBehind(projection, names, isList);
    if (part === "nothing") return [];
    return [{ names, target, by, part, links: shownLinks(inner, part === "all" ? null : part) }];
  });
}

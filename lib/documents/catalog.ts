import { createReadThrough } from "../cache.ts";
import type { Clock } from "../clock.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import { Problem } from "../problems.ts";
import { ALL, eq } from "../store/filter.ts";
import type { Engine, Id, Json, Records, Stored } from "../store/port.ts";
import { shown } from "../text/input_text.ts";
import { didYouMean } from "../text/nearest.ts";
import { type Collection, compileCollection } from "./collection.ts";
import type { CollectionDefinition, FieldDefinition, ItemDefinition } from "./fields.ts";
import { field, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

/** A definition as it is stored in its project's space. */
export const COLLECTIONS = recordKind({
  name: "_collections",
  fields: {
    name: field.text,
    /** Names that differ only in case are one. */
    nameLower: field.text,
    createdAt: field.date,
    updatedAt: field.date,
    /** What its documents are kept under; earlier versions left out the name itself. */
    storedAs: optional(field.undeclared<string>()),
    /** Of the definition: another one after each change. Left out before the first. */
    version: optional(field.undeclared<Id>()),
    /**
     * Earlier versions had no indexes beside the fields' own and no `events`, and no field had
     * `search`.
     */
    definition: field.undeclared<
      Omit<CollectionDefinition, "indexes" | "events"> & Partial<CollectionDefinition> & {
        [name: string]: Json;
      }
    >(),
  },
  indexes: [{ keys: [{ path: "nameLower", descending: false }], unique: true }],
  trash: false,
});

export type CollectionRecord = RecordOf<typeof COLLECTIONS>;

type StoredDefinition = Pick<Stored<CollectionRecord>, "value" | "revision">;

/** What a collection's documents are kept under. */
export const placeOf = ({ name, storedAs = name }: CollectionRecord): string => storedAs;

/** The definition of a record, whole. */
export const definitionOf = ({ definition }: CollectionRecord): CollectionDefinition => ({
  ...definition,
  fields: definition.fields.map(wholeField),
  indexes: definition.indexes ?? [],
  events: definition.events ?? true,
});

/** With its members in the order in which definitions have them. */
function wholeField(field: FieldDefinition): FieldDefinition {
  const { default: value, search = false, ...rest } = field;
  return {
    ...rest,
    ...wholeInside(rest),
    search,
    ...(value !== undefined && { default: value }),
  };
}

function wholeInside({ fields, items }: Pick<ItemDefinition, "fields" | "items">): object {
  return {
    ...(fields && { fields: fields.map(wholeField) }),
    ...(items && { items: { ...items, ...wholeInside(items) } }),
  };
}

/** The collection of a stored definition. */
export const collectionOf = ({ value, revision }: StoredDefinition): Collection => {
  const { _id: id, version = id } = value;
  const restsOn = { kind: COLLECTIONS, id, revision };
  return compileCollection(definitionOf(value), { id, restsOn, version, storedAs: placeOf(value) });
};

/** By the id too: a collection made again under its name may have the revision of the earlier one. */
function isOf(
  { records: { restsOn } }: Collection,
  { value, revision }: StoredDefinition,
): boolean {
  return restsOn?.id === value._id && restsOn.revision === revision;
}

/** For members of the project, who may see all names. Throws `COLLECTION_NOT_FOUND`. */
export async function requiredCollection(
  catalog: Pick<Catalog, "find" | "names">,
  projectId: Id,
  name: string,
): Promise<Collection> {
  const collection = await catalog.find(projectId, name);
  if (collection === null) throw collectionNotFound(name, await catalog.names(projectId));
  return collection;
}

/** Finds collections by their names. */
export interface Catalog {
  /** Null if the project has no such collection; letter case counts. */
  find(projectId: Id, name: string): MaybePromise<Collection | null>;
  /** Names of the project's collections, for those who miss one; the first few hundred. */
  names(projectId: Id): Promise<readonly string[]>;
  /**
   * Drops what is remembered. Other processes notice at once where the engine tells what others have
   * committed, and within `CACHE_MS` elsewhere.
   */
  forget(projectId: Id, name: string): void;
  /** The same for all collections of a project. */
  forgetProject(projectId: Id): void;
}

const COLLECTIONS_KEPT = 5_000;
const NAMES_MAX = 300;

/** Names alone: a definition may be long. */
export async function collectionNames(
  records: Pick<Records<CollectionRecord>, "aggregate">,
): Promise<string[]> {
  const byName = { filter: ALL, keys: [{ path: "name" }], figures: [], sort: [], limit: NAMES_MAX };
  const { groups } = await records.aggregate(byName);
  return groups.map(({ keys }) => String(keys[0]));
}

/** Says which collection is missing, and which of these names is like it. */
export const collectionNotFound = (name: string, names: readonly string[]): Problem =>
  new Problem("COLLECTION_NOT_FOUND", {
    message: `There is no such collection in this project: ${shown(name)}.${
      didYouMean(name, names)
    }`,
  });

export function createCatalog(engine: Engine, clock: Clock): Catalog {
  const keyOf = (projectId: Id, name: string) => `${projectId}/${name}`;
  const projectOf = (key: string): Id => key.slice(0, key.indexOf("/"));
  const markOf = (key: string) => engine.commitsOfOthers(projectOf(key));
  const options = { clock, max: COLLECTIONS_KEPT, markOf };
  const known = createReadThrough<Collection>(options, async (key, collection) => {
    const projectId = projectOf(key);
    const name = key.slice(projectId.length + 1);
    const found = await engine.records<CollectionRecord>(projectId, COLLECTIONS)
      .findOne(eq("nameLower", name.toLowerCase()));
    if (found === null || found.value.name !== name) return null;
    // Compiled once for each state, so that what was learnt of its queries is kept.
    return collection !== null && isOf(collection, found) ? collection : collectionOf(found);
  });
  return {
    find: (projectId, name) => known.get(keyOf(projectId, name)),
    names: (projectId) => collectionNames(engine.records(projectId, COLLECTIONS)),
    forget: (projectId, name) => known.drop(keyOf(projectId, name)),
    forgetProject: (projectId) => known.forget((key) => projectOf(key) === projectId),
  };
}

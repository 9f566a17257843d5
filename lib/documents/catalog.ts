import { createReadThrough } from "../cache.ts";
import type { Clock } from "../clock.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import { Problem } from "../problems.ts";
import { ALL, eq } from "../store/filter.ts";
import type { Engine, Id, Json, Records, Stored } from "../store/port.ts";
import { quoted } from "../text/input_text.ts";
import { didYouMean } from "../text/nearest.ts";
import { type Collection, compileCollection } from "./collection.ts";
import type { CollectionDefinition, FieldDefinition, ItemDefinition } from "./fields.ts";
import { field, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

/** Definitions, stored in their project's space. */
export const COLLECTIONS = recordKind({
  name: "_collections",
  fields: {
    name: field.text,
    /** The name in lower case: names that differ only in case are the same name. */
    nameLower: field.text,
    createdAt: field.date,
    updatedAt: field.date,
    /** Name of the table of the documents. Left out in records of earlier versions: `name`. */
    storedAs: optional(field.undeclared<string>()),
    /** Replaced with each change of the definition. Left out before the first change. */
    version: optional(field.undeclared<Id>()),
    /** Records of earlier versions lack `indexes`, `events` and the fields' `search`. */
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

export const tableName = ({ name, storedAs = name }: CollectionRecord): string => storedAs;

/** Adds the members that earlier versions left out. */
export const definitionOf = ({ definition }: CollectionRecord): CollectionDefinition => ({
  ...definition,
  fields: definition.fields.map(completeField),
  indexes: definition.indexes ?? [],
  events: definition.events ?? true,
});

/** Adds `search` to a field, and puts its members in the order in which definitions have them. */
function completeField(field: FieldDefinition): FieldDefinition {
  const { default: value, search = false, ...rest } = field;
  return {
    ...rest,
    ...completeMembers(rest),
    search,
    ...(value !== undefined && { default: value }),
  };
}

function completeMembers({ fields, items }: Pick<ItemDefinition, "fields" | "items">): object {
  return {
    ...(fields && { fields: fields.map(completeField) }),
    ...(items && { items: { ...items, ...completeMembers(items) } }),
  };
}

export const collectionOf = ({ value, revision }: StoredDefinition): Collection => {
  const { _id: id, version = id } = value;
  const dependsOn = { kind: COLLECTIONS, id, revision };
  const storedAs = tableName(value);
  return compileCollection(definitionOf(value), { id, dependsOn, version, storedAs });
};

/** Compares the id, too, because a new collection may have the revision of a deleted one. */
function isBuiltFrom(
  { records: { dependsOn } }: Collection,
  { value, revision }: StoredDefinition,
): boolean {
  return dependsOn?.id === value._id && dependsOn.revision === revision;
}

/** Throws `COLLECTION_NOT_FOUND` with a similar name, for members, who may see all names. */
export async function requireCollection(
  catalog: Pick<Catalog, "find" | "names">,
  projectId: Id,
  name: string,
): Promise<Collection> {
  const collection = await catalog.find(projectId, name);
  if (collection === null) throw collectionNotFound(name, await catalog.names(projectId));
  return collection;
}

export interface Catalog {
  /** Finds a collection by its exact name. */
  find(projectId: Id, name: string): MaybePromise<Collection | null>;
  /** Returns the first few hundred names, for suggestions in messages. */
  names(projectId: Id): Promise<readonly string[]>;
  /** Other processes drop their entries after `CACHE_MS`, or at once if commits are reported. */
  forget(projectId: Id, name: string): void;
  forgetProject(projectId: Id): void;
}

const CACHED_COLLECTIONS_MAX = 5_000;
const NAMES_MAX = 300;

/** Reads the names without the definitions, which may be long. */
export async function readCollectionNames(
  records: Pick<Records<CollectionRecord>, "aggregate">,
): Promise<string[]> {
  const byName = { filter: ALL, keys: [{ path: "name" }], figures: [], sort: [], limit: NAMES_MAX };
  const { groups } = await records.aggregate(byName);
  return groups.map(({ keys }) => String(keys[0]));
}

export const collectionNotFound = (name: string, names: readonly string[]): Problem =>
  new Problem("COLLECTION_NOT_FOUND", {
    message: `There is no such collection in this project: ${quoted(name)}.${
      didYouMean(name, names)
    }`,
  });

export function createCatalog(engine: Engine, clock: Clock): Catalog {
  const keyOf = (projectId: Id, name: string) => `${projectId}/${name}`;
  const projectOf = (key: string): Id => key.slice(0, key.indexOf("/"));
  const versionOf = (key: string) => engine.externalCommitMark(projectOf(key));
  const options = { clock, max: CACHED_COLLECTIONS_MAX, versionOf };
  const cache = createReadThrough<Collection>(options, async (key, collection) => {
    const projectId = projectOf(key);
    const name = key.slice(projectId.length + 1);
    const found = await engine.records<CollectionRecord>(projectId, COLLECTIONS)
      .findOne(eq("nameLower", name.toLowerCase()));
    if (found === null || found.value.name !== name) return null;
    // Compiles a state only once, because statistics of queries are kept by version.
    return collection !== null && isBuiltFrom(collection, found) ? collection : collectionOf(found);
  });
  return {
    find: (projectId, name) => cache.get(keyOf(projectId, name)),
    names: (projectId) => readCollectionNames(engine.records(projectId, COLLECTIONS)),
    forget: (projectId, name) => cache.drop(keyOf(projectId, name)),
    forgetProject: (projectId) => cache.invalidate((key) => projectOf(key) === projectId),
  };
}

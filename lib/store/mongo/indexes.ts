import type { Db, IndexDescription } from "mongodb";
import { StoreMismatch } from "../errors.ts";
import type { Definition, Index, SortKey } from "../port.ts";
import { FIELD_TYPES, type ScalarType } from "../field_types.ts";
import { elementAt, scalarAt } from "../shape.ts";
import { MAX_TIME } from "./connect.ts";
import { CODES, hasCode } from "./error_codes.ts";
import { retryOnce } from "./failures.ts";
import { searchPathsOf } from "../search.ts";
import { WORDS } from "./hidden_members.ts";

/** An index with a fixed name, so that equal definitions have equal indexes. */
export interface NamedIndex extends IndexDescription {
  readonly name: string;
}

/** Returns the indexes of a definition. Their names spell out their keys. */
export function wantedIndexes(definition: Definition): readonly NamedIndex[] {
  const wanted = definition.indexes
    .map((index) => index.unique ? uniqueIndex(definition, index) : listingIndex(definition, index))
    .filter(({ key }) => Object.keys(key).join() !== "_id"); // Every collection has this index.
  if (searchPathsOf(definition).length > 0) wanted.push(wordsIndex(definition));
  if (definition.expiry !== undefined) {
    const key = { [definition.expiry]: 1 } as const;
    wanted.push({ name: `expiry ${definition.expiry}`, key, expireAfterSeconds: 0 });
  }
  return wanted;
}

/**
 * Returns the name of an index, which spells out its keys; `violatedPath` parses it. The name of a
 * unique index contains the types of its values, because another type requires another index.
 */
function indexName(definition: Definition, { keys, unique }: Index): string {
  const paths = keys.map(({ path }) => path);
  if (unique) {
    return `unique ${paths.join()} ${paths.map((path) => declaredAt(definition, path)).join()}`;
  }
  return `list ${keys.map(({ path, descending }) => (descending ? "-" : "") + path).join(",")}`;
}

export const indexNamed = (definition: Definition, name: string): Index | undefined =>
  definition.indexes.find((index) => indexName(definition, index) === name);

/** Returns a unique index on live records in which all values are present and not null. */
function uniqueIndex(definition: Definition, index: Index): NamedIndex {
  const paths = index.keys.map(({ path }) => path);
  const present = Object.fromEntries(
    paths.map((path) => [path, { $type: FIELD_TYPES[declaredAt(definition, path)].bson }]),
  );
  return {
    name: indexName(definition, index),
    key: Object.fromEntries(paths.map((path) => [path, 1 as const])),
    unique: true,
    partialFilterExpression: definition.trash ? { isDeleted: false, ...present } : present,
  };
}

/** Returns an index for lists. It begins with `isDeleted` and ends with the id. */
function listingIndex(definition: Definition, index: Index): NamedIndex {
  const { keys } = index;
  const last = keys.at(-1)!;
  const all: SortKey[] = [
    ...(definition.trash ? [{ path: "isDeleted", descending: false }] : []),
    ...keys,
    ...(last.path === "_id" ? [] : [{ path: "_id", descending: last.descending }]),
  ];
  for (const { path } of keys) {
    if (elementAt(definition, path) === null) declaredAt(definition, path);
  }
  return {
    name: indexName(definition, index),
    key: Object.fromEntries(all.map(({ path, descending }) => [path, descending ? -1 : 1])),
  };
}

function wordsIndex({ trash }: Definition): NamedIndex {
  return { name: WORDS_INDEX, key: { ...(trash && { isDeleted: 1 as const }), [WORDS]: 1 } };
}

export const WORDS_INDEX = "search";

function declaredAt(definition: Definition, path: string): ScalarType {
  const type = scalarAt(definition, path);
  if (type !== null) return type;
  throw new TypeError(`Cannot index "${path}" of ${definition.name}: not a declared scalar`);
}

/** Error codes for an index of an equal name or equal keys with another shape. */
const CONFLICTS = [85, 86];

/** Returns the stored indexes by name; null if the collection does not exist. */
export async function storedIndexes(db: Db, name: string): Promise<Map<string, string> | null> {
  try {
    const indexes = await retryOnce(() => db.collection(name).indexes(MAX_TIME));
    return new Map(indexes.map((index) => [index.name!, describeIndex(index as NamedIndex)]));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/**
 * Creates missing indexes, and the collection if necessary. Throws `StoreMismatch` if an index of
 * the name has another shape. There is no time limit: the server would discard an unfinished build
 * at the limit, so a large collection would never get an index. If the connection times out, the
 * server continues the build.
 */
export async function createIndexes(
  db: Db,
  name: string,
  indexes: readonly NamedIndex[],
): Promise<void> {
  if (indexes.length === 0) return;
  try {
    await retryOnce(() => db.collection(name).createIndexes([...indexes]));
  } catch (error) {
    if (!hasCode(error, ...CONFLICTS)) throw error;
    const stored = await storedIndexes(db, name);
    const clash = indexes.find((index) => stored?.get(index.name) !== describeIndex(index));
    throw new StoreMismatch(
      `The index "${clash?.name}" of ${db.databaseName}.${name} exists with another shape. ` +
        `Stored: ${stored?.get(clash?.name ?? "") ?? [...stored?.values() ?? []].join(" ")}. ` +
        `Wanted: ${clash && describeIndex(clash)}`,
      { cause: error },
    );
  }
}

/** Drops indexes. Missing ones are ignored. */
export async function dropIndexes(db: Db, name: string, indexes: Iterable<string>): Promise<void> {
  for (const index of indexes) {
    try {
      await retryOnce(() => db.collection(name).dropIndex(index, MAX_TIME));
    } catch (error) {
      if (!hasCode(error, CODES.NamespaceNotFound, CODES.IndexNotFound)) throw error;
    }
  }
}

/** Drops a collection with its indexes. A missing collection is ignored. */
export async function dropCollection(db: Db, name: string): Promise<void> {
  try {
    await retryOnce(() => db.dropCollection(name, MAX_TIME));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Whether a command failed because the collection does not exist. */
export const isMissing = (error: unknown): boolean => hasCode(error, CODES.NamespaceNotFound);

/** Returns the shape of an index as text, for comparison. */
function describeIndex(index: NamedIndex): string {
  const { key, unique, partialFilterExpression, expireAfterSeconds } = index;
  return JSON.stringify({ key, unique, partialFilterExpression, expireAfterSeconds });
}

/** Whether an index belongs to Corbel. Administrators may add others. */
export const isManagedIndex = (name: string): boolean =>
  /^(?:(?:unique|list|expiry) |search$)/.test(name);

/** The name of MongoDB's own index on ids. */
export const OWN_ID_INDEX = "_id_";

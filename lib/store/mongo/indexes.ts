import type { Db, IndexDescription } from "mongodb";
import { StoreMismatch } from "../errors.ts";
import type { Definition, Index, SortKey } from "../port.ts";
import { FIELD_TYPES, type ScalarType } from "../field_types.ts";
import { elementAt, scalarAt } from "../shape.ts";
import { LIMITED } from "./connect.ts";
import { CODES, hasCode } from "./error_codes.ts";
import { repeatable } from "./failures.ts";
import { searchPathsOf } from "../search.ts";
import { WORDS } from "./hidden_members.ts";

/** Index with the name that it always has, so that the same definition makes the same indexes. */
export interface NamedIndex extends IndexDescription {
  readonly name: string;
}

/** The indexes of a definition, by names that spell out their keys. */
export function wantedIndexes(definition: Definition): readonly NamedIndex[] {
  const wanted = definition.indexes
    .map((index) => index.unique ? uniqueIndex(definition, index) : listingIndex(definition, index))
    .filter(({ key }) => Object.keys(key).join() !== "_id"); // Every collection has that one.
  if (searchPathsOf(definition).length > 0) wanted.push(wordsIndex(definition));
  if (definition.expiry !== undefined) {
    const key = { [definition.expiry]: 1 } as const;
    wanted.push({ name: `expiry ${definition.expiry}`, key, expireAfterSeconds: 0 });
  }
  return wanted;
}

/**
 * Spells out what the index is for; `violatedPath` reads it. A unique index is about values of one
 * type, so with another type it is another index.
 */
function nameOf(definition: Definition, { keys, unique }: Index): string {
  const paths = keys.map(({ path }) => path);
  if (unique) {
    return `unique ${paths.join()} ${paths.map((path) => declaredAt(definition, path)).join()}`;
  }
  return `list ${keys.map(({ path, descending }) => (descending ? "-" : "") + path).join(",")}`;
}

/** The index of a definition that MongoDB knows by this name. */
export const indexNamed = (definition: Definition, name: string): Index | undefined =>
  definition.indexes.find((index) => nameOf(definition, index) === name);

/** Holds among live records whose values are all present and not null. */
function uniqueIndex(definition: Definition, index: Index): NamedIndex {
  const paths = index.keys.map(({ path }) => path);
  const present = Object.fromEntries(
    paths.map((path) => [path, { $type: FIELD_TYPES[declaredAt(definition, path)].bson }]),
  );
  return {
    name: nameOf(definition, index),
    key: Object.fromEntries(paths.map((path) => [path, 1 as const])),
    unique: true,
    partialFilterExpression: definition.trash ? { isDeleted: false, ...present } : present,
  };
}

/** Begins with `isDeleted` and ends with the id, as every list is ordered. */
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
    name: nameOf(definition, index),
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
  throw new TypeError(`Cannot index "${path}" of ${definition.name}: it is no declared scalar`);
}

/** An index of the same name, or of the same keys, has another shape. */
const CONFLICTS = [85, 86];

/** What is there; null where the collection is not. */
export async function storedIndexes(db: Db, name: string): Promise<Map<string, string> | null> {
  try {
    const indexes = await repeatable(() => db.collection(name).indexes(LIMITED));
    return new Map(indexes.map((index) => [index.name!, described(index as NamedIndex)]));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/**
 * Creates indexes, and the collection with them; those that are there already cost nothing. An
 * index of the same name and another shape is a `StoreMismatch`. It has no time limit: at its end
 * the server would throw away what it has built, so a large collection would never get an index.
 * Where the connection waits no longer the server goes on building.
 */
export async function createIndexes(
  db: Db,
  name: string,
  indexes: readonly NamedIndex[],
): Promise<void> {
  if (indexes.length === 0) return;
  try {
    await repeatable(() => db.collection(name).createIndexes([...indexes]));
  } catch (error) {
    if (!hasCode(error, ...CONFLICTS)) throw error;
    const stored = await storedIndexes(db, name);
    const clash = indexes.find((index) => stored?.get(index.name) !== described(index));
    throw new StoreMismatch(
      `The index "${clash?.name}" of ${db.databaseName}.${name} exists with another shape. ` +
        `Stored: ${stored?.get(clash?.name ?? "") ?? [...stored?.values() ?? []].join(" ")}. ` +
        `Wanted: ${clash && described(clash)}`,
      { cause: error },
    );
  }
}

/** Those that are not there cost nothing either. */
export async function dropIndexes(db: Db, name: string, indexes: Iterable<string>): Promise<void> {
  for (const index of indexes) {
    try {
      await repeatable(() => db.collection(name).dropIndex(index, LIMITED));
    } catch (error) {
      if (!hasCode(error, CODES.NamespaceNotFound, CODES.IndexNotFound)) throw error;
    }
  }
}

/** The collection and its indexes; one that is not there costs nothing. */
export async function dropCollection(db: Db, name: string): Promise<void> {
  try {
    await repeatable(() => db.dropCollection(name, LIMITED));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Whether a command failed for want of the collection. */
export const isMissing = (error: unknown): boolean => hasCode(error, CODES.NamespaceNotFound);

/** The parts of an index that make its shape, as text that can be compared. */
function described(index: NamedIndex): string {
  const { key, unique, partialFilterExpression, expireAfterSeconds } = index;
  return JSON.stringify({ key, unique, partialFilterExpression, expireAfterSeconds });
}

/** Operators may have indexes of their own, and a shard key has one. */
export const isOurs = (name: string): boolean => /^(?:(?:unique|list|expiry) |search$)/.test(name);

/** The one that MongoDB keeps itself. */
export const OWN_ID_INDEX = "_id_";

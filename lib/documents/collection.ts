import { DOCUMENT_BYTES_MAX, DOCUMENT_MEMBERS_MAX } from "../limits.ts";
import type { Definition, FieldShape, Id, Index, Json, StoredRecord } from "../store/port.ts";
import { nearestShape } from "../store/shape.ts";
import { searchPaths, sortKey } from "./definition_indexes.ts";
import { type FileField, fileFieldsOf, removesFiles } from "./file_fields.ts";
import type { CollectionDefinition, FieldDefinition, ItemDefinition } from "./fields.ts";
import { SERVER_FIELDS } from "./names.ts";

export type StoredDocument = StoredRecord & {
  createdAt: string;
  updatedAt: string;
  isDeleted: boolean;
  deletedAt: string | null;
};

/** A definition and the values that are derived from it. */
export interface Collection {
  /** Id of the record that holds the definition; null if the definition is not stored. */
  readonly id: Id | null;
  readonly definition: CollectionDefinition;
  readonly records: Definition;
  readonly files: readonly FileField[];
  /** Distinct for every compilation, so that statistics of another definition are not used. */
  readonly version: string;
}

let compilations = 0;

export const SERVER_SHAPES: Readonly<Record<string, FieldShape>> = {
  createdAt: { type: "Date", isAlwaysSet: true },
  updatedAt: { type: "Date", isAlwaysSet: true },
  isDeleted: { type: "Boolean", isAlwaysSet: true },
  deletedAt: { type: "Date" },
};

/**
 * @param options.storedAs Name of the documents' table; the collection's name if left out.
 * @param options.id Id of the definition's record; left out if it is not stored.
 * @param options.dependsOn The definition's record; like `version`, left out if nothing is written.
 */
export function compileCollection(
  definition: CollectionDefinition,
  { storedAs = definition.name, id = null, ...versions }:
    & Pick<Definition, "dependsOn" | "version" | "renames">
    & { readonly storedAs?: string; readonly id?: Id | null } = {},
): Collection {
  const files = fileFieldsOf(definition.fields);
  return {
    id,
    definition,
    files,
    records: {
      name: storedAs,
      fields: { ...shapesOf(definition.fields), ...SERVER_SHAPES },
      indexes: withoutDuplicates([
        ascendingIndex("createdAt"),
        ...ownerIndexes(definition),
        ...definition.fields.flatMap((field) => fieldIndexes(field, "")),
        // The removal of a file searches these fields for other documents with the file.
        ...(removesFiles({ files }) ? files.map(({ path }) => ascendingIndex(path)) : []),
        ...definition.indexes.map(({ fields, unique }) => ({ keys: fields.map(sortKey), unique })),
      ]),
      search: searchPaths(definition.fields),
      trash: true,
      ...(definition.events && { recordedAs: definition.name }),
      ...versions,
      bytesMax: DOCUMENT_BYTES_MAX,
      membersMax: DOCUMENT_MEMBERS_MAX + SERVER_FIELDS.length,
    },
    version: (compilations++).toString(36),
  };
}

/** Removes indexes that a field declares and `indexes` repeats. */
const withoutDuplicates = (indexes: readonly Index[]): Index[] => [
  ...new Map(
    indexes.map((index) => [JSON.stringify([index.keys, index.unique ?? false]), index]),
  ).values(),
];

const ascendingIndex = (...paths: readonly string[]): Index => ({
  keys: paths.map((path) => ({ path, descending: false })),
});

/** Returns the index for users' lists, which are filtered by owner and sorted by creation. */
const ownerIndexes = ({ rls }: CollectionDefinition): Index[] =>
  rls.enabled ? [ascendingIndex(rls.ownerField, "createdAt")] : [];

function fieldIndexes(field: FieldDefinition, at: string): Index[] {
  const path = at + field.key;
  const unique: Index = { ...ascendingIndex(path), unique: true };
  return [
    ...(field.index ? [ascendingIndex(path)] : []),
    ...(field.unique ? [unique] : []),
    ...(field.fields ?? []).flatMap((inner) => fieldIndexes(inner, `${path}.`)),
  ];
}

const shapesOf = (fields: readonly FieldDefinition[]): Record<string, FieldShape> =>
  Object.fromEntries(fields.map((field) => [field.key, shapeOf(field)]));

const shapeOf = (field: ItemDefinition): FieldShape => ({
  type: field.type,
  ...(field.fields && { fields: shapesOf(field.fields) }),
  ...(field.items && { items: shapeOf(field.items) }),
});

export type Declared =
  | { readonly kind: "declared"; readonly shape: FieldShape }
  /** Inside a declared Object without declared members, which may hold any values. */
  | { readonly kind: "free" }
  | { readonly kind: "undeclared" };

export function declaredAt({ records }: Collection, path: string): Declared {
  if (path === "_id") return { kind: "declared", shape: { type: "String" } };
  const { shape, isComplete } = nearestShape(records.fields, path);
  if (shape === null) return { kind: "undeclared" };
  if (isComplete) return { kind: "declared", shape };
  const isFree = shape.type === "Object" && shape.fields === undefined;
  return { kind: isFree ? "free" : "undeclared" };
}

/** Returns all declared paths, including those of the server's fields. */
export const declaredPaths = ({ records }: Collection): string[] => [
  "_id",
  ...pathsWithin(records.fields, ""),
];

const pathsWithin = (fields: Readonly<Record<string, FieldShape>>, at: string): string[] =>
  Object.entries(fields).flatMap(([name, { fields: inner = {} }]) => [
    at + name,
    ...pathsWithin(inner, `${at}${name}.`),
  ]);

export function newDocument(
  id: Id,
  members: { readonly [name: string]: Json },
  now: string,
): StoredDocument {
  return {
    _id: id,
    ...members,
    createdAt: now,
    updatedAt: now,
    isDeleted: false,
    deletedAt: null,
  };
}

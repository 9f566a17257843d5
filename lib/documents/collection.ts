import { DOCUMENT_BYTES_MAX, DOCUMENT_MEMBERS_MAX } from "../limits.ts";
import type { Definition, FieldShape, Id, Index, Json, StoredRecord } from "../store/port.ts";
import { nearestShape } from "../store/shape.ts";
import { keyOf, searchPaths } from "./definition_indexes.ts";
import { type FileField, fileFieldsOf, removesFiles } from "./file_fields.ts";
import type { CollectionDefinition, FieldDefinition, ItemDefinition } from "./fields.ts";
import { SERVER_FIELDS } from "./names.ts";

/** A document as it is stored and answered. */
export type StoredDocument = StoredRecord & {
  createdAt: string;
  updatedAt: string;
  isDeleted: boolean;
  deletedAt: string | null;
};

/** A collection ready for use: its definition and what follows from it. */
export interface Collection {
  /** Of the record that holds the definition; null where it is not stored. */
  readonly id: Id | null;
  readonly definition: CollectionDefinition;
  /** How its documents are stored. */
  readonly records: Definition;
  /** Fields that hold paths of files. */
  readonly files: readonly FileField[];
  /** Distinct for every compilation: what was remembered of another definition does not apply. */
  readonly version: string;
}

let compiled = 0;

/** The fields besides `_id` that the server sets. */
export const SERVER_SHAPES: Readonly<Record<string, FieldShape>> = {
  createdAt: { type: "Date", always: true },
  updatedAt: { type: "Date", always: true },
  isDeleted: { type: "Boolean", always: true },
  deletedAt: { type: "Date" },
};

/**
 * `restsOn` is the record that holds the definition and `version` its version, both left out where
 * nothing is written under it; `renames` are left out where nothing is renamed; `id` is the record's, and left out where it is not stored; `storedAs`
 * is what its documents are kept under, its name if left out.
 */
export function compileCollection(
  definition: CollectionDefinition,
  { storedAs = definition.name, id = null, ...stands }:
    & Pick<Definition, "restsOn" | "version" | "renames">
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
      indexes: distinct([
        listing("createdAt"),
        ...ownerIndexes(definition),
        ...definition.fields.flatMap((field) => fieldIndexes(field, "")),
        // Whoever removes a file looks whether another document holds it, in whichever field.
        ...(removesFiles({ files }) ? files.map(({ path }) => listing(path)) : []),
        ...definition.indexes.map(({ fields, unique }) => ({ keys: fields.map(keyOf), unique })),
      ]),
      search: searchPaths(definition.fields),
      trash: true,
      ...(definition.events && { recordedAs: definition.name }),
      ...stands,
      bytesMax: DOCUMENT_BYTES_MAX,
      membersMax: DOCUMENT_MEMBERS_MAX + SERVER_FIELDS.length,
    },
    version: (compiled++).toString(36),
  };
}

/** An index that a field asks for may be asked for by itself, too. */
const distinct = (indexes: readonly Index[]): Index[] => [
  ...new Map(
    indexes.map((index) => [JSON.stringify([index.keys, index.unique ?? false]), index]),
  ).values(),
];

const listing = (...paths: readonly string[]): Index => ({
  keys: paths.map((path) => ({ path, descending: false })),
});

/** Every list of a signed-in user asks for the owner, and by default for the newest first. */
const ownerIndexes = ({ rls }: CollectionDefinition): Index[] =>
  rls.enabled ? [listing(rls.ownerField, "createdAt")] : [];

function fieldIndexes(field: FieldDefinition, at: string): Index[] {
  const path = at + field.key;
  const unique: Index = { ...listing(path), unique: true };
  return [
    ...(field.index ? [listing(path)] : []),
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

/** What a query may know of a path. */
export type Declared =
  | { readonly kind: "declared"; readonly shape: FieldShape }
  /** Inside a declared Object without declared members: anything may be there. */
  | { readonly kind: "free" }
  | { readonly kind: "undeclared" };

export function declaredAt({ records }: Collection, path: string): Declared {
  if (path === "_id") return { kind: "declared", shape: { type: "String" } };
  const { shape, isWhole } = nearestShape(records.fields, path);
  if (shape === null) return { kind: "undeclared" };
  if (isWhole) return { kind: "declared", shape };
  const isFree = shape.type === "Object" && shape.fields === undefined;
  return { kind: isFree ? "free" : "undeclared" };
}

/** Every path that is declared, dotted within objects, and those of the server's fields. */
export const declaredPaths = ({ records }: Collection): string[] => [
  "_id",
  ...pathsWithin(records.fields, ""),
];

const pathsWithin = (fields: Readonly<Record<string, FieldShape>>, at: string): string[] =>
  Object.entries(fields).flatMap(([name, { fields: inner = {} }]) => [
    at + name,
    ...pathsWithin(inner, `${at}${name}.`),
  ]);

/** A new document from its members: server-owned fields stand around them. */
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

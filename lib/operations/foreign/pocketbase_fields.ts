import { fieldNames, userFieldNames } from "./names.ts";
import type { Notes } from "./notes.ts";
import type { GivenField } from "./foreign_project.ts";
import { SOURCE_ID } from "./foreign_project.ts";
import {
  type PocketbaseCollection,
  type PocketbaseField,
  type PocketbaseSource,
} from "./pocketbase_source.ts";
import { quoteName } from "./scratch.ts";

/** A field with its new name and type. */
export interface FieldPlan {
  readonly source: PocketbaseField;
  /** Name in Corbel. */
  readonly key: string;
  /** Null if the values have several types or there are none. */
  readonly type: GivenField | null;
  /** Whether an empty text is converted to null. */
  readonly emptyIsNull: boolean;
}

export interface FieldPlans {
  readonly fields: readonly FieldPlan[];
  /** Names of the fields with the times of a record; null if there are none. */
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
}

export interface TargetNames {
  /** The collection that becomes the users. */
  readonly users: PocketbaseCollection | null;
  /** Names in Corbel by ids in the source. */
  readonly collections: ReadonlyMap<string, string>;
}

const isMany = ({ maxSelect }: PocketbaseField): boolean => maxSelect > 1;

/** Fields of an auth collection that Corbel stores for every user. */
const AUTH_FIELDS = ["password", "tokenKey", "email", "emailVisibility", "verified"];
const BUILT_IN_FIELDS = ["name", "username"];

export function planFields(
  source: PocketbaseSource,
  collection: PocketbaseCollection,
  { targets, notes }: { readonly targets: TargetNames; readonly notes: Notes },
): FieldPlans {
  const isUsers = targets.users === collection;
  const timeOf = (name: string) =>
    collection.fields.some((field) => field.name === name && field.type === "autodate")
      ? name
      : null;
  const [createdAt, updatedAt] = [timeOf("created"), timeOf("updated")];
  const candidates = collection.fields.filter((field) =>
    field.name !== "id" && ![createdAt, updatedAt].includes(field.name) &&
    !isSecret(field, collection, notes) &&
    !(isUsers && (AUTH_FIELDS.includes(field.name) || isBuiltInUserField(field)))
  );
  const supported = candidates.filter((field) => isSupported(field, collection, notes));
  const names = (isUsers ? userFieldNames : fieldNames)(supported.map(({ name }) => name), [
    SOURCE_ID,
  ]);
  const fields = supported.map((field): FieldPlan => {
    const key = names.get(field.name)!;
    if (key !== field.name) notes.add(`${collection.name}.${field.name} is called ${key}`);
    const type = typeOf(source, collection, field, { targets, notes });
    if (type === null) {
      notes.add(
        `${collection.name}.${field.name} ${
          isUsers ? "was left out" : "is not declared"
        }: its values are of several types, or there are none`,
      );
    }
    return {
      source: field,
      key,
      type: isUsers ? withoutFile(type) : type,
      emptyIsNull: isEmptyAsText(field),
    };
  });
  return { fields, createdAt, updatedAt };
}

export const isBuiltInUserField = ({ name, type }: PocketbaseField): boolean =>
  BUILT_IN_FIELDS.includes(name) && type === "text";

/** User fields do not support files. */
function withoutFile(type: GivenField | null): GivenField | null {
  if (type === null) return null;
  const { file: _file, ...rest } = type;
  return rest;
}

/** Whether PocketBase stores a missing value of the field as an empty text. */
const isEmptyAsText = ({ type }: PocketbaseField): boolean => type !== "text" && type !== "editor";

/** Whether a field has password hashes or token keys. */
function isSecret(
  { name, type }: PocketbaseField,
  collection: PocketbaseCollection,
  notes: Notes,
): boolean {
  if (type === "password" && collection.type === "base") {
    notes.add(`${collection.name}.${name} was left out: it has hashes of passwords`);
  }
  return type === "password" || (collection.type === "auth" && name === "tokenKey");
}

const SCALARS: ReadonlyMap<string, string> = new Map([
  ["text", "String"],
  ["editor", "String"],
  ["email", "String"],
  ["url", "String"],
  ["number", "Number"],
  ["bool", "Boolean"],
  ["date", "Date"],
  ["autodate", "Date"],
]);

const OTHER_TYPES = ["select", "file", "relation", "json", "geoPoint"];

function isSupported(
  { name, type }: PocketbaseField,
  collection: PocketbaseCollection,
  notes: Notes,
) {
  if (SCALARS.has(type) || OTHER_TYPES.includes(type)) return true;
  notes.add(`${collection.name}.${name} was left out: its type ${type} is unknown`);
  return false;
}

function typeOf(
  source: PocketbaseSource,
  collection: PocketbaseCollection,
  field: PocketbaseField,
  context: { readonly targets: TargetNames; readonly notes: Notes },
): GivenField | null {
  const scalar = SCALARS.get(field.type);
  if (scalar !== undefined) return { type: scalar };
  const listed = (item: GivenField): GivenField =>
    isMany(field) ? { type: "Array", items: item } : item;
  switch (field.type) {
    case "select":
      return listed({ type: "String" });
    case "file":
      return { ...listed({ type: "String" }), file: true };
    case "relation":
      return listed(referenceOf(collection, field, context));
    case "geoPoint": {
      const fields = ["lon", "lat"].map((key) => ({ key, type: "Number" }));
      return { type: "Object", fields };
    }
    default:
      return typeOfJson(source, collection, field);
  }
}

function referenceOf(
  { name }: PocketbaseCollection,
  field: PocketbaseField,
  { targets, notes }: { readonly targets: TargetNames; readonly notes: Notes },
): GivenField {
  if (field.collectionId === targets.users?.id) return { type: "Ref", ref: "users" };
  const ref = targets.collections.get(field.collectionId);
  if (ref !== undefined) return { type: "Ref", ref };
  notes.add(
    `${name}.${field.name} has ids as text: the collection that it refers to was not carried over`,
  );
  return { type: "String" };
}

const JSON_TYPES: Readonly<Record<string, string>> = {
  object: "Object",
  array: "Array",
  text: "String",
  integer: "Number",
  real: "Number",
  true: "Boolean",
  false: "Boolean",
};

/** Returns null if the values have several types or there are none. */
function typeOfJson(
  { db }: PocketbaseSource,
  { name }: PocketbaseCollection,
  field: PocketbaseField,
): GivenField | null {
  const column = `CAST(${quoteName(field.name)} AS TEXT)`;
  const rows = db.rows(
    `SELECT DISTINCT CASE WHEN json_valid(${column}) THEN json_type(${column}) END AS type
     FROM ${quoteName(name)}`,
  );
  const types = new Set([...rows].map(({ type }) => String(type)));
  types.delete("null");
  const [own, ...more] = new Set([...types].map((type) => JSON_TYPES[type]));
  return own === undefined || more.length > 0 ? null : { type: own };
}

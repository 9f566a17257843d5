import { fieldNames, userFieldNames } from "./names.ts";
import type { Notes } from "./notes.ts";
import type { GivenField } from "./foreign_project.ts";
import { SOURCE_ID } from "./foreign_project.ts";
import {
  type PocketbaseCollection,
  type PocketbaseField,
  type PocketbaseSource,
} from "./pocketbase_source.ts";
import { quoted } from "./scratch.ts";

/** A field of a collection, and what becomes of it. */
export interface FieldPlan {
  readonly source: PocketbaseField;
  /** What it is called here. */
  readonly key: string;
  /** Without its name; null where values of several types are in it, so that it is not declared. */
  readonly type: GivenField | null;
  /** Whether an empty text stands for nothing. */
  readonly emptyIsNull: boolean;
}

export interface FieldPlans {
  readonly fields: readonly FieldPlan[];
  /** Names of the fields that have the times of a record; null where there are none. */
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
}

/** What the collections of a source become. */
export interface Targets {
  readonly users: PocketbaseCollection | null;
  /** Names here, by ids there. */
  readonly collections: ReadonlyMap<string, string>;
}

const isMany = ({ maxSelect }: PocketbaseField): boolean => maxSelect > 1;

/** Fields of users that Corbel keeps for all of them. */
const OF_AUTH = ["password", "tokenKey", "email", "emailVisibility", "verified"];
const OF_USERS = ["name", "username"];

/** What becomes of the fields of a collection. */
export function planFields(
  source: PocketbaseSource,
  collection: PocketbaseCollection,
  { targets, notes }: { readonly targets: Targets; readonly notes: Notes },
): FieldPlans {
  const isUsers = targets.users === collection;
  const timeOf = (name: string) =>
    collection.fields.some((field) => field.name === name && field.type === "autodate")
      ? name
      : null;
  const [createdAt, updatedAt] = [timeOf("created"), timeOf("updated")];
  const kept = collection.fields.filter((field) =>
    field.name !== "id" && ![createdAt, updatedAt].includes(field.name) &&
    !isSecret(field, collection, notes) &&
    !(isUsers && (OF_AUTH.includes(field.name) || isOfUsers(field)))
  );
  const known = kept.filter((field) => isKnown(field, collection, notes));
  const names = (isUsers ? userFieldNames : fieldNames)(known.map(({ name }) => name), [SOURCE_ID]);
  const fields = known.map((field): FieldPlan => {
    const key = names.get(field.name)!;
    if (key !== field.name) notes.say(`${collection.name}.${field.name} is called ${key}`);
    const type = typeOf(source, collection, field, { targets, notes });
    if (type === null) {
      notes.say(
        `${collection.name}.${field.name} ${
          isUsers ? "was left out" : "is not declared"
        }: its values are of several types, or there are none`,
      );
    }
    return {
      source: field,
      key,
      type: isUsers ? withoutFile(type) : type,
      emptyIsNull: isMeant(field),
    };
  });
  return { fields, createdAt, updatedAt };
}

export const isOfUsers = ({ name, type }: PocketbaseField): boolean =>
  OF_USERS.includes(name) && type === "text";

/** Fields of users cannot say that they hold files. */
function withoutFile(type: GivenField | null): GivenField | null {
  if (type === null) return null;
  const { file: _file, ...rest } = type;
  return rest;
}

/** In these PocketBase keeps an empty text where there is nothing. */
const isMeant = ({ type }: PocketbaseField): boolean => type !== "text" && type !== "editor";

/** Hashes, and what tokens are signed with, are of no use here. */
function isSecret(
  { name, type }: PocketbaseField,
  collection: PocketbaseCollection,
  notes: Notes,
): boolean {
  if (type === "password" && collection.type === "base") {
    notes.say(`${collection.name}.${name} was left out: it has hashes of passwords`);
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

const OTHERS = ["select", "file", "relation", "json", "geoPoint"];

function isKnown({ name, type }: PocketbaseField, collection: PocketbaseCollection, notes: Notes) {
  if (SCALARS.has(type) || OTHERS.includes(type)) return true;
  notes.say(`${collection.name}.${name} was left out: nobody knows its type ${type}`);
  return false;
}

function typeOf(
  source: PocketbaseSource,
  collection: PocketbaseCollection,
  field: PocketbaseField,
  context: { readonly targets: Targets; readonly notes: Notes },
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
  { targets, notes }: { readonly targets: Targets; readonly notes: Notes },
): GivenField {
  if (field.collectionId === targets.users?.id) return { type: "Ref", ref: "users" };
  const ref = targets.collections.get(field.collectionId);
  if (ref !== undefined) return { type: "Ref", ref };
  notes.say(`${name}.${field.name} has ids as text: what it is a relation to was not carried over`);
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

/** That of all values which are there; null where they have several, or there are none. */
function typeOfJson(
  { db }: PocketbaseSource,
  { name }: PocketbaseCollection,
  field: PocketbaseField,
): GivenField | null {
  const column = `CAST(${quoted(field.name)} AS TEXT)`;
  const rows = db.rows(
    `SELECT DISTINCT CASE WHEN json_valid(${column}) THEN json_type(${column}) END AS type
     FROM ${quoted(name)}`,
  );
  const types = new Set([...rows].map(({ type }) => String(type)));
  types.delete("null");
  const [own, ...more] = new Set([...types].map((type) => JSON_TYPES[type]));
  return own === undefined || more.length > 0 ? null : { type: own };
}

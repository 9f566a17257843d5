import { ObjectId } from "mongodb";
import { authorOf, type WriteOptions } from "../changes.ts";
import { FIELD_TYPES, type FieldType } from "../field_types.ts";
import type { Definition, FieldShape, Json, Stored } from "../port.ts";
import { searchPathsOf, wordsOf } from "../search.ts";
import { isObject, isScalarType, ownMember } from "../shape.ts";
import { AUTHOR, type AuthorBson, REVISION, VERSION, WORDS } from "./hidden_members.ts";

export type Bson = Readonly<Record<string, unknown>>;

/**
 * Returns a record as it is stored: ids and declared dates are native BSON types, other values as
 * in JSON.
 *
 * @param author For an inserted record, the result of {@linkcode newAuthor}. For a stored record,
 *   its stored author, which never changes.
 */
export const encodeRecord = (
  definition: Definition,
  { value, revision }: Pick<Stored, "value" | "revision">,
  author?: AuthorBson,
): Bson =>
  documentOf([
    ...encodeMembers(definition, value),
    [REVISION, revision],
    ...Object.entries(versionOf(definition)),
    ...Object.entries(wordsBson(definition, value)),
    ...Object.entries(author === undefined ? {} : { [AUTHOR]: author }),
  ]);

/**
 * Returns the author to store in an inserted record, which then serves as its own change log entry;
 * undefined if the kind is not recorded. Throws if the write has no author.
 */
export function newAuthor(definition: Definition, writing: WriteOptions): AuthorBson | undefined {
  const { recordedAs } = definition;
  if (recordedAs === undefined) return undefined;
  const { actor, at } = authorOf(definition, writing);
  return [recordedAs, actor.kind, actor.id, new Date(at), new ObjectId()];
}

/** Returns the member with the version of the record's definition; see `Engine.fence`. */
export const versionOf = ({ version }: Definition): { readonly [VERSION]?: ObjectId } =>
  version === undefined ? {} : { [VERSION]: new ObjectId(version) };

/** Returns the member with the record's words, by which searches find it. */
export const wordsBson = (
  definition: Definition,
  record: Readonly<Record<string, Json>>,
): { readonly [WORDS]?: string[] } =>
  searchPathsOf(definition).length === 0 ? {} : { [WORDS]: wordsOf(definition, record) };

export const encodeFields = (
  definition: Definition,
  fields: Readonly<Record<string, Json>>,
): Bson => documentOf(encodeMembers(definition, fields));

/** Encodes top-level fields. `_id` becomes an ObjectId. */
const encodeMembers = ({ fields }: Definition, record: Readonly<Record<string, Json>>): Member[] =>
  Object.entries(record).map(([name, value]) => [
    name,
    name === "_id"
      ? new ObjectId(value as string) // Ids are texts of 24 hexadecimal digits.
      : encodeValue(value, ownMember(fields, name)),
  ]);

export function encodeText(text: string, type: FieldType | null): string | Date {
  const isDate = type !== null && isScalarType(type) && FIELD_TYPES[type].bson === "date";
  return isDate ? new Date(text) : text;
}

/** Encodes a value. Dates are native if declared objects lead to them, and text in arrays. */
export function encodeValue(value: Json, shape?: FieldShape): unknown {
  if (typeof value === "string") return encodeText(value, shape?.type ?? null);
  if (Array.isArray(value)) return value.map((one) => encodeValue(one));
  if (!isObject(value)) return value;
  const fields = shape?.fields ?? {};
  return documentOf(
    Object.entries(value).map(([name, one]) => [name, encodeValue(one, ownMember(fields, name))]),
  );
}

type Member = readonly [name: string, value: unknown];

/** The member name by which the driver recognizes its own types in objects, but not in maps. */
const DRIVER_TYPE_NAME = "_bsontype";

/** Returns a document with any member names that the driver accepts within another document. */
export function documentOf(members: readonly Member[]): Bson {
  const isMisread = members.some(([name]) => name === DRIVER_TYPE_NAME);
  return isMisread ? new Map(members) as unknown as Bson : Object.fromEntries(members);
}

/** Returns a condition on a path of any name, even one that is reserved in the driver. */
export const conditionBson = (path: string, condition: unknown): Bson =>
  path === DRIVER_TYPE_NAME ? { $and: [documentOf([[path, condition]])] } : { [path]: condition };

import { ObjectId } from "mongodb";
import { authorOf, type Writing } from "../changes.ts";
import { FIELD_TYPES, type FieldType } from "../field_types.ts";
import type { Definition, FieldShape, Json, Stored } from "../port.ts";
import { searchPathsOf, wordsOf } from "../search.ts";
import { isObject, isScalarType, own } from "../shape.ts";
import { AUTHOR, type AuthorBson, REVISION, VERSION, WORDS } from "./hidden_members.ts";

/** The driver's own documents, and what may stand in them. */
export type Bson = Readonly<Record<string, unknown>>;

/**
 * A record as it is stored: ids and declared dates are native, the rest is as in JSON.
 *
 * @param author Of one that is inserted {@linkcode newAuthor}; of one that is stored already what it
 *   says itself: who has made it stays.
 */
export const encodeRecord = (
  definition: Definition,
  { value, revision }: Pick<Stored, "value" | "revision">,
  author?: AuthorBson,
): Bson =>
  documentOf([
    ...encodedFields(definition, value),
    [REVISION, revision],
    ...Object.entries(versionOf(definition)),
    ...Object.entries(wordsBson(definition, value)),
    ...Object.entries(author === undefined ? {} : { [AUTHOR]: author }),
  ]);

/**
 * By which a record that is inserted is a note of itself; undefined where it is not recorded. Throws
 * where nobody is said to write it.
 */
export function newAuthor(definition: Definition, writing: Writing): AuthorBson | undefined {
  const { recordedAs } = definition;
  if (recordedAs === undefined) return undefined;
  const { actor, at } = authorOf(definition, writing);
  return [recordedAs, actor.kind, actor.id, new Date(at), new ObjectId()];
}

/** What every record that is written tells of its definition; see `Engine.fence`. */
export const versionOf = ({ version }: Definition): { readonly [VERSION]?: ObjectId } =>
  version === undefined ? {} : { [VERSION]: new ObjectId(version) };

/** What every record that is written carries to be found by. */
export const wordsBson = (
  definition: Definition,
  record: Readonly<Record<string, Json>>,
): { readonly [WORDS]?: string[] } =>
  searchPathsOf(definition).length === 0 ? {} : { [WORDS]: wordsOf(definition, record) };

export const encodeFields = (
  definition: Definition,
  fields: Readonly<Record<string, Json>>,
): Bson => documentOf(encodedFields(definition, fields));

/** Top-level fields; `_id` among them becomes an ObjectId. */
const encodedFields = ({ fields }: Definition, record: Readonly<Record<string, Json>>): Member[] =>
  Object.entries(record).map(([name, value]) => [
    name,
    name === "_id"
      ? new ObjectId(value as string) // Ids are texts of 24 hexadecimal digits.
      : encodeValue(value, own(fields, name)),
  ]);

/** A text as values of the type are stored. */
export function encodeText(text: string, type: FieldType | null): string | Date {
  const isDate = type !== null && isScalarType(type) && FIELD_TYPES[type].bson === "date";
  return isDate ? new Date(text) : text;
}

/** Dates are native wherever a declared path of objects leads to them; within arrays they stay text. */
export function encodeValue(value: Json, shape?: FieldShape): unknown {
  if (typeof value === "string") return encodeText(value, shape?.type ?? null);
  if (Array.isArray(value)) return value.map((one) => encodeValue(one));
  if (!isObject(value)) return value;
  const fields = shape?.fields ?? {};
  return documentOf(
    Object.entries(value).map(([name, one]) => [name, encodeValue(one, own(fields, name))]),
  );
}

type Member = readonly [name: string, value: unknown];

/** The one name by which the driver takes an object for a type of its own; it does not a map. */
const MISREAD = "_bsontype";

/** A document of any names, as the driver takes it within another one. */
export function documentOf(members: readonly Member[]): Bson {
  const isMisread = members.some(([name]) => name === MISREAD);
  return isMisread ? new Map(members) as unknown as Bson : Object.fromEntries(members);
}

/** What a query asks of a path; of any name, also where the driver looks at the whole query. */
export const conditionBson = (path: string, condition: unknown): Bson =>
  path === MISREAD ? { $and: [documentOf([[path, condition]])] } : { [path]: condition };

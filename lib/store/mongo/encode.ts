import { ObjectId } from "mongodb";
import { type Actor, authorOf, type Authorship, type Writing } from "../changes.ts";
import type { Definition, FieldShape, Json, Stored, StoredRecord } from "../port.ts";
import { searchPathsOf, wordsOf } from "../search.ts";
import { isObject, own } from "../shape.ts";
import { AUTHOR, authorIn, REVISION, VERSION, WORDS } from "./transcode.ts";

/** The driver's own documents, and what may stand in them. */
export type Bson = Readonly<Record<string, unknown>>;

/** A record as it is stored: ids and declared dates are native, the rest is as in JSON. */
export const encodeRecord = (
  definition: Definition,
  record: StoredRecord,
  revision: number,
): Bson => documentOf(recordMembers(definition, record, revision));

const recordMembers = (
  definition: Definition,
  record: StoredRecord,
  revision: number,
): Member[] => [
  ...encodedFields(definition, record),
  [REVISION, revision],
  ...Object.entries(versionOf(definition)),
  ...Object.entries(wordsBson(definition, record)),
];

/**
 * A record as it is inserted. Where its definition is recorded it says who has made it, so that its
 * insertion is a note of itself. Throws where nobody is said to write it.
 */
export function encodeNew(
  definition: Definition,
  { value, revision }: Pick<Stored, "value" | "revision">,
  writing: Writing,
): Bson {
  const members = recordMembers(definition, value, revision);
  const { recordedAs } = definition;
  if (recordedAs === undefined) return documentOf(members);
  return documentOf([...members, [AUTHOR, authorBson(recordedAs, authorOf(definition, writing))]]);
}

/** A record that is stored, anew: who has made it stays. @param was Its bytes. */
export function encodeAnew(
  definition: Definition,
  { value, revision }: Pick<Stored, "value" | "revision">,
  was: Uint8Array,
): Bson {
  const members = recordMembers(definition, value, revision);
  const author = authorIn(was);
  return documentOf(author === undefined ? members : [...members, [AUTHOR, author]]);
}

/**
 * A list, in which no names take room: what the record is noted under, the kind and id of who, and
 * when; at last an id of the moment by the system's clock, by which a copy is told from the original.
 */
export type AuthorBson = readonly [
  name: string,
  kind: Actor["kind"],
  id: string | null,
  at: Date,
  made: ObjectId,
];

const authorBson = (name: string, { actor, at }: Authorship): AuthorBson => [
  name,
  actor.kind,
  actor.id,
  new Date(at),
  new ObjectId(),
];

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

/** Dates are native wherever a declared path of objects leads to them; within arrays they stay text. */
export function encodeValue(value: Json, shape?: FieldShape): unknown {
  if (typeof value === "string") return shape?.type === "Date" ? new Date(value) : value;
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

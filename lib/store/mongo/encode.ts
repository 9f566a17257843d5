import { ObjectId } from "mongodb";
import type { Definition, FieldShape, Json, StoredRecord } from "../port.ts";
import { isObject } from "../shape.ts";

/** The driver's own documents, and what may stand in them. */
export type Bson = Readonly<Record<string, unknown>>;

/**
 * Counts the changes of a record, in a member of its own. It begins in white space, as no name of
 * a document does.
 */
export const REVISION = " rev";

/** A record as it is stored: ids and declared dates are native, the rest is as in JSON. */
export function encodeRecord(definition: Definition, record: StoredRecord, revision: number): Bson {
  return { ...encodeFields(definition, record), [REVISION]: revision };
}

/** Top-level fields; `_id` among them becomes an ObjectId. */
export function encodeFields(
  { fields }: Definition,
  record: Readonly<Record<string, Json>>,
): Bson {
  const encoded: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    encoded[name] = name === "_id"
      ? new ObjectId(value as string) // Ids are texts of 24 hexadecimal digits.
      : encodeValue(value, Object.hasOwn(fields, name) ? fields[name] : undefined);
  }
  return encoded;
}

/** Dates are native wherever a declared path of objects leads to them; within arrays they stay text. */
export function encodeValue(value: Json, shape?: FieldShape): unknown {
  if (typeof value === "string") return shape?.type === "Date" ? new Date(value) : value;
  if (Array.isArray(value)) return value.map((one) => encodeValue(one));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, one]) =>
    [name, encodeValue(one, shape?.fields?.[name])] as const
  );
  // The driver takes an object with this member for a type of its own.
  return Object.hasOwn(value, "_bsontype") ? new Map(members) : Object.fromEntries(members);
}

/**
 * Places in lists at documents of other programs. What Corbel stores is found again by what its
 * JSON says; of other values JSON does not tell the type, or not the whole value.
 */

import { Buffer } from "node:buffer";
import { BSON, Long } from "mongodb";
import type { Definition, Position, SortKey } from "../port.ts";
import { FIELD_TYPES } from "../field_types.ts";
import { scalarAt } from "../shape.ts";
import { BsonReader, LENGTH_BYTES, TYPE } from "./bson_reader.ts";
import { type Bson, documentOf } from "./encode.ts";

/** The position, with those values of the list's order that JSON does not tell, if there are any. */
export function exactly(
  position: Position,
  definition: Definition,
  { order, document }: { order: readonly SortKey[]; document: Uint8Array },
): Position {
  const bson = new BsonReader(document);
  const members = order.flatMap(({ path }, i) => {
    const found = memberAt(bson, path);
    if (found === null) return [];
    const [member, end] = found;
    const type = scalarAt(definition, path);
    const stored = path === "_id" ? "objectId" : type && FIELD_TYPES[type].bson;
    if (isToldByJson(bson, member, stored)) return [];
    const value = document.subarray(bson.value(member), bson.behindMember(member, end));
    return [Buffer.of(document[member]!), Buffer.from(`${i}\0`), value];
  });
  if (members.length === 0) return position;
  const length = Buffer.alloc(LENGTH_BYTES);
  const bytes = Buffer.concat([length, ...members, Buffer.of(0)]);
  bytes.writeInt32LE(bytes.length);
  return { ...position, exact: bytes.toString("base64") };
}

/** What `exactly` has added: expressions for the values, by their place in the list's order. */
export function exactValues({ exact }: Position): ReadonlyMap<number, Bson> {
  const values = new Map<number, Bson>();
  if (exact === undefined) return values;
  const bson = new BsonReader(Uint8Array.fromBase64(exact));
  const read = BSON.deserialize(bson.bytes, READ_AS_IT_IS);
  const end = bson.end();
  for (let p = LENGTH_BYTES; p < end - 1; p = bson.behindMember(p, end)) {
    const name = bson.text(p + 1, bson.value(p) - 1);
    // JavaScript has not all the dates that BSON has.
    const isDate = bson.bytes[p] === TYPE.date;
    const date = () => ({ $toDate: Long.fromBigInt(bson.bigint(bson.value(p))) });
    values.set(Number(name), isDate ? date() : { $literal: restored(read[name]) });
  }
  return values;
}

/** As it was read, but with names that the driver would not take for its own. */
function restored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(restored);
  if (value === null || typeof value !== "object") return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return documentOf(Object.entries(value).map(([name, one]) => [name, restored(one)]));
}

const READ_AS_IT_IS = { promoteValues: false, bsonRegExp: true, validation: { utf8: false } };

/** A member, however deep in objects, and the end of the document that it is in. */
function memberAt(bson: BsonReader, path: string): [member: number, end: number] | null {
  let from = 0;
  let end = bson.end();
  let member: number | null = null;
  for (const name of path.split(".")) {
    if (member !== null) {
      if (bson.bytes[member] !== TYPE.document) return null;
      from = bson.value(member);
      end = bson.behindMember(member, end);
    }
    member = bson.find(name, from + LENGTH_BYTES, end);
    if (member === null) return null;
  }
  return [member!, end];
}

const DATE_MS_MAX = 8.64e15;

/** @param type The type that is declared, as MongoDB calls it; null for none. */
function isToldByJson(bson: BsonReader, member: number, type: string | null): boolean {
  const value = bson.value(member);
  switch (bson.bytes[member]) {
    case TYPE.objectId:
      return type === "objectId";
    case TYPE.null:
      return type !== "objectId";
    case TYPE.string:
      return type === "string";
    case TYPE.boolean:
      return type === "bool";
    case TYPE.int32:
      return type === "number";
    case TYPE.double:
      return type === "number" && Number.isFinite(bson.double(value));
    case TYPE.int64:
      return type === "number" && Number.isSafeInteger(bson.long(value));
    case TYPE.date:
      return type === "date" && Math.abs(bson.long(value)) <= DATE_MS_MAX;
    default:
      return false;
  }
}

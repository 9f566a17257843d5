/**
 * Places in lists at documents of other programs. What Corbel stores is found again by what its
 * JSON says; of other values JSON does not tell the type, or not the whole value.
 */

import { Buffer } from "node:buffer";
import { BSON, Long } from "mongodb";
import type { Definition, Position, SortKey } from "../port.ts";
import { FIELD_TYPES } from "../field_types.ts";
import { scalarAt } from "../shape.ts";
import { type Bson, documentOf } from "./encode.ts";
import { int64In, membersOf, type RawMember } from "./raw_bson.ts";

/** The position, with those values of the list's order that JSON does not tell, if there are any. */
export function exactly(
  position: Position,
  definition: Definition,
  { order, document }: { order: readonly SortKey[]; document: Uint8Array },
): Position {
  const members = order.flatMap(({ path }, i) => {
    const member = memberAt(document, path);
    if (member === null) return [];
    const type = scalarAt(definition, path);
    const declared = path === "_id" ? "objectId" : type && FIELD_TYPES[type].bson;
    if (isToldByJson(member, declared)) return [];
    return [Buffer.of(member.type), Buffer.from(`${i}\0`), member.value];
  });
  if (members.length === 0) return position;
  const length = Buffer.alloc(4);
  const bytes = Buffer.concat([length, ...members, Buffer.of(0)]);
  bytes.writeInt32LE(bytes.length);
  return { ...position, exact: bytes.toString("base64") };
}

/** What `exactly` has added: expressions for the values, by their place in the list's order. */
export function exactValues({ exact }: Position): ReadonlyMap<number, Bson> {
  const values = new Map<number, Bson>();
  if (exact === undefined) return values;
  const bytes = Uint8Array.fromBase64(exact);
  const read = BSON.deserialize(bytes, READ_AS_IT_IS);
  for (const { type, name, value } of membersOf(bytes)) {
    // JavaScript has not all the dates that BSON has.
    const date = () => ({ $toDate: Long.fromBigInt(int64In(value)) });
    const isDate = type === BSONType.date;
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

const { BSONType } = BSON;

const READ_AS_IT_IS = { promoteValues: false, bsonRegExp: true, validation: { utf8: false } };

/** A member, however deep in objects. */
function memberAt(document: Uint8Array, path: string): RawMember | null {
  const [name, ...inner] = path.split(".");
  const member = membersOf(document).find((one) => one.name === name);
  if (member === undefined || inner.length === 0) return member ?? null;
  return member.type === BSONType.object ? memberAt(member.value, inner.join(".")) : null;
}

/** What JavaScript's dates reach, in milliseconds. */
const DATE_MS_MAX = 8.64e15;

/** @param type The type that is declared, as MongoDB calls it; null for none. */
function isToldByJson({ type: stored, value }: RawMember, type: string | null): boolean {
  switch (stored) {
    case BSONType.objectId:
      return type === "objectId";
    case BSONType.null:
      return type !== "objectId";
    case BSONType.string:
      return type === "string";
    case BSONType.bool:
      return type === "bool";
    case BSONType.int:
      return type === "number";
    case BSONType.double:
      return type === "number" && Number.isFinite(Buffer.from(value).readDoubleLE());
    case BSONType.long:
      return type === "number" && Number.isSafeInteger(Number(int64In(value)));
    case BSONType.date:
      return type === "date" && Math.abs(Number(int64In(value))) <= DATE_MS_MAX;
    default:
      return false;
  }
}

/**
 * List positions at documents of other programs. The JSON form of values that Corbel stores is
 * sufficient to find them again. For other BSON values, JSON loses the type or part of the value.
 */

import { Buffer } from "node:buffer";
import { BSON, Long } from "mongodb";
import type { Definition, Position, SortKey } from "../port.ts";
import { FIELD_TYPES } from "../field_types.ts";
import { scalarAt } from "../shape.ts";
import { type Bson, documentOf } from "./encode.ts";
import { int64In, membersOf, type RawMember } from "./raw_bson.ts";

/** Returns a position with exact values of the sort keys that JSON does not preserve. */
export function withExactValues(
  position: Position,
  definition: Definition,
  { order, document }: { order: readonly SortKey[]; document: Uint8Array },
): Position {
  const members = order.flatMap(({ path }, i) => {
    const member = memberAt(document, path);
    if (member === null) return [];
    const type = scalarAt(definition, path);
    const declared = path === "_id" ? "objectId" : type && FIELD_TYPES[type].bson;
    if (isPreservedByJson(member, declared)) return [];
    return [Buffer.of(member.type), Buffer.from(`${i}\0`), member.value];
  });
  if (members.length === 0) return position;
  const length = Buffer.alloc(4);
  const bytes = Buffer.concat([length, ...members, Buffer.of(0)]);
  bytes.writeInt32LE(bytes.length);
  return { ...position, exact: bytes.toString("base64") };
}

/** Returns expressions of the exact values of a position, by the index of the sort key. */
export function exactValues({ exact }: Position): ReadonlyMap<number, Bson> {
  const values = new Map<number, Bson>();
  if (exact === undefined) return values;
  const bytes = Uint8Array.fromBase64(exact);
  const read = BSON.deserialize(bytes, RAW_OPTIONS);
  for (const { type, name, value } of membersOf(bytes)) {
    // JavaScript cannot represent all BSON dates.
    const date = () => ({ $toDate: Long.fromBigInt(int64In(value)) });
    const isDate = type === BSONType.date;
    values.set(Number(name), isDate ? date() : { $literal: withSafeNames(read[name]) });
  }
  return values;
}

/** Returns a value whose member names the driver does not mistake for its own types. */
function withSafeNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSafeNames);
  if (value === null || typeof value !== "object") return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return documentOf(Object.entries(value).map(([name, one]) => [name, withSafeNames(one)]));
}

const { BSONType } = BSON;

const RAW_OPTIONS = { promoteValues: false, bsonRegExp: true, validation: { utf8: false } };

/** Returns the member at a path through objects; null if there is none. */
function memberAt(document: Uint8Array, path: string): RawMember | null {
  const [name, ...inner] = path.split(".");
  const member = membersOf(document).find((one) => one.name === name);
  if (member === undefined || inner.length === 0) return member ?? null;
  return member.type === BSONType.object ? memberAt(member.value, inner.join(".")) : null;
}

/** Maximum absolute value of a JavaScript date in milliseconds. */
const DATE_MS_MAX = 8.64e15;

/**
 * Whether a member's JSON form preserves its value.
 *
 * @param type The declared type by its MongoDB name; null if undeclared.
 */
function isPreservedByJson({ type: stored, value }: RawMember, type: string | null): boolean {
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

/** Access to undecoded BSON documents and replies. */

import { BSON } from "mongodb";
import { AUTHOR, type AuthorBson } from "./hidden_members.ts";

export interface RawMember {
  /** A value of `BSON.BSONType`. */
  readonly type: number;
  readonly name: string;
  /** The bytes of the value, including the length of a document or a list. */
  readonly value: Uint8Array;
}

const { parseToElements, ByteUtils } = BSON.onDemand;

/** Returns the members of a document or the elements of a list, without nested ones. */
export const membersOf = (bytes: Uint8Array): RawMember[] =>
  [...parseToElements(bytes)].map(([type, nameAt, nameLength, at, length]) => ({
    type,
    name: ByteUtils.toUTF8(bytes, nameAt, nameAt + nameLength, false),
    value: bytes.subarray(at, at + length),
  }));

/** Returns a 64-bit integer, or the milliseconds of a date. */
export const int64In = ({ buffer, byteOffset }: Uint8Array): bigint =>
  new DataView(buffer, byteOffset).getBigInt64(0, true);

export interface FindReply {
  /** The id of the cursor for the remaining documents; 0 if there are none. */
  readonly cursorId: bigint;
  readonly documents: readonly Uint8Array[];
}

/** Reads the undecoded `cursor` of a reply. Throws for a reply without documents. */
export function readReply(cursor: Uint8Array): FindReply {
  const members = new Map(membersOf(cursor).map(({ name, value }) => [name, value]));
  const [id, batch] = [members.get("id"), members.get("firstBatch")];
  if (id === undefined || batch === undefined) {
    throw new Error("MongoDB sent a cursor without a batch");
  }
  return { cursorId: int64In(id), documents: membersOf(batch).map(({ value }) => value) };
}

/** Returns the author stored in a record; undefined if there is none. */
export function authorIn(record: Uint8Array): AuthorBson | undefined {
  const author = BSON.deserialize(record, { validation: { utf8: false } })[AUTHOR];
  return Array.isArray(author) ? author as unknown as AuthorBson : undefined;
}

/** BSON that is not decoded: where its members lie, and what a reply to a find holds. */

import { BSON } from "mongodb";
import { AUTHOR, type AuthorBson } from "./hidden_members.ts";

export interface RawMember {
  /** A value of `BSON.BSONType`. */
  readonly type: number;
  readonly name: string;
  /** The value's bytes; of a document or a list, all of it. */
  readonly value: Uint8Array;
}

const { parseToElements, ByteUtils } = BSON.onDemand;

/** The members of a document, or the elements of a list, without those inside them. */
export const membersOf = (bytes: Uint8Array): RawMember[] =>
  [...parseToElements(bytes)].map(([type, nameAt, nameLength, at, length]) => ({
    type,
    name: ByteUtils.toUTF8(bytes, nameAt, nameAt + nameLength, false),
    value: bytes.subarray(at, at + length),
  }));

/** A 64-bit integer, or the milliseconds of a date. */
export const int64In = ({ buffer, byteOffset }: Uint8Array): bigint =>
  new DataView(buffer, byteOffset).getBigInt64(0, true);

/** What the server answers to a find. */
export interface Reply {
  /** The cursor under which the server keeps the rest; 0 if that was all. */
  readonly cursorId: bigint;
  /** The bytes of each document. */
  readonly documents: readonly Uint8Array[];
}

/** Reads the undecoded `cursor` of a reply. */
export function readReply(cursor: Uint8Array): Reply {
  const members = new Map(membersOf(cursor).map(({ name, value }) => [name, value]));
  const [id, batch] = [members.get("id"), members.get("firstBatch")];
  if (id === undefined || batch === undefined) {
    throw new Error("MongoDB sent a cursor without a batch");
  }
  return { cursorId: int64In(id), documents: membersOf(batch).map(({ value }) => value) };
}

/** What a record says of who has made it; undefined where it says nothing. */
export function authorIn(record: Uint8Array): AuthorBson | undefined {
  const author = BSON.deserialize(record, { validation: { utf8: false } })[AUTHOR];
  return Array.isArray(author) ? author as unknown as AuthorBson : undefined;
}

/**
 * The JSON text of BSON documents, written byte by byte without building objects. For documents of
 * Corbel, it equals the result of `jsonText` for the record with `_id` first:
 *
 * | BSON | JSON |
 * | --- | --- |
 * | ObjectId | text of 24 hex digits in lower case |
 * | int32, int64 | number, all digits, also beyond 2^53 |
 * | double | number, -0 with its sign; NaN and the infinities are null |
 * | date | ISO 8601 text in UTC with milliseconds; null outside the range of JavaScript's dates |
 * | string, document, array, boolean, null | as in JSON |
 *
 * Types that only other programs write:
 *
 * | BSON | JSON |
 * | --- | --- |
 * | Decimal128 | text of its exact digits |
 * | Binary | text in base64; of subtype 4 (UUID) as 8-4-4-4-12 hex digits |
 * | Timestamp | ISO 8601 text of its seconds |
 * | regex | text `/pattern/flags` |
 * | symbol | text |
 * | code, with or without scope | text of the code |
 * | DBPointer | text of the id's 24 hex digits |
 * | MinKey, MaxKey | text `MinKey`, `MaxKey` |
 * | undefined | null |
 *
 * Invalid UTF-8 bytes in text become U+FFFD. Members are in the order of JavaScript's objects:
 * names that are array indexes first and ascending, then the others as stored. A duplicate name is
 * written twice, so a parser gets the last value. After a name that begins with a digit, only the
 * last duplicate is written, at the position of the first.
 *
 * @module
 */

import { BSON } from "mongodb";
import { AUTHOR, REVISION, VERSION, WORDS } from "../hidden_members.ts";
import { BsonReader, LENGTH_BYTES, malformed, TYPE } from "./bson_reader.ts";
import { JsonWriter } from "./json_writer.ts";

/** Maximum number of nested levels of documents and arrays. MongoDB stores at most 100. */
export const NESTING_MAX = 1_000;

/**
 * Returns the JSON text of a document and its revision; 0 if it has none.
 *
 * @throws {MalformedBson} also if documents are nested deeper than {@linkcode NESTING_MAX}
 */
export function documentJson(bytes: Uint8Array): { json: string; revision: number } {
  return new Transcoder(bytes).document();
}

const BINARY = { old: 0x02, uuid: 0x04 } as const;
const UUID_BYTES = 16;
const ARRAY_INDEX_MAX = 2 ** 32 - 2;
const [ZERO, NINE, UNDERSCORE] = [0x30, 0x39, 0x5f];

class Transcoder {
  readonly #bson: BsonReader;
  readonly #json: JsonWriter;
  #nesting = 0;
  #revision = 0;

  constructor(bytes: Uint8Array) {
    this.#bson = new BsonReader(bytes);
    this.#json = new JsonWriter(bytes.length);
  }

  document(): { json: string; revision: number } {
    this.#record(0, this.#bson.end());
    return { json: this.#json.text(), revision: this.#revision };
  }

  /** Writes a document of a collection: `_id` first, without hidden members. */
  #record(start: number, end: number): void {
    const first = start + LENGTH_BYTES;
    const id = this.#bson.find("_id", first, end);
    this.#json.open("{");
    if (id !== null) this.#member(id, end);
    this.#members(first, end, true);
    this.#json.close("}");
  }

  #members(from: number, end: number, isRecord: boolean): void {
    const { bytes } = this.#bson;
    const opened = this.#json.length;
    for (let p = from; p < end - 1;) {
      const initial = bytes[p + 1]!;
      if (initial <= NINE && initial >= ZERO) {
        return this.#membersWithIndexes(p, end, { opened, isRecord });
      }
      p = isRecord && initial <= UNDERSCORE && this.#isHidden(p)
        ? this.#skipHidden(p, end)
        : this.#member(p, end);
    }
  }

  /** Writes members from the first name that begins with a digit: array indexes come first. */
  #membersWithIndexes(
    from: number,
    end: number,
    { opened, isRecord }: { opened: number; isRecord: boolean },
  ): void {
    const bson = this.#bson;
    const members = new Map<string, number>();
    for (let p = from; p < end - 1; p = bson.endOfMember(p, end)) {
      if (isRecord && this.#isHidden(p)) this.#skipHidden(p, end);
      else members.set(bson.text(p + 1, bson.value(p) - 1), p);
    }
    const before = this.#json.cut(opened);
    const indexes = [...members.keys()].filter(isArrayIndex);
    for (const name of indexes.sort((a, b) => Number(a) - Number(b))) {
      this.#member(members.get(name)!, end);
      members.delete(name);
    }
    this.#json.append(before);
    for (const member of members.values()) this.#member(member, end);
  }

  /** Whether a record's member is not written at its stored position: `_id` and hidden members. */
  #isHidden(p: number): boolean {
    const bson = this.#bson;
    return bson.isNamed(p, "_id") || bson.isNamed(p, REVISION) || bson.isNamed(p, VERSION) ||
      bson.isNamed(p, WORDS) || bson.isNamed(p, AUTHOR);
  }

  #skipHidden(p: number, end: number): number {
    const behind = this.#bson.endOfMember(p, end);
    if (this.#bson.isNamed(p, REVISION)) this.#revision = this.#number(p);
    return behind;
  }

  /** Returns a member's number; 0 for other types. */
  #number(p: number): number {
    const value = this.#bson.value(p);
    switch (this.#bson.bytes[p]) {
      case TYPE.int32:
        return this.#bson.int32(value);
      case TYPE.int64:
        return this.#bson.long(value);
      case TYPE.double:
        return this.#bson.double(value);
      default:
        return 0;
    }
  }

  /** Writes a member. Returns the offset after it. */
  #member(p: number, end: number): number {
    const value = this.#bson.value(p);
    this.#json.string(this.#bson.bytes, p + 1, value - 1);
    this.#json.colon();
    return this.#value(this.#bson.bytes[p]!, value, end);
  }

  /** Writes a value. Returns the offset after it. */
  #value(type: number, p: number, end: number): number {
    const bson = this.#bson;
    const json = this.#json;
    const behind = bson.endOfValue(type, p, end);
    switch (type) {
      case TYPE.string:
      case TYPE.symbol:
      case TYPE.code:
        json.string(bson.bytes, p + LENGTH_BYTES, behind - 1);
        break;
      case TYPE.objectId:
        json.hex(bson.bytes, p, behind);
        break;
      case TYPE.int32:
        json.integer(bson.int32(p));
        break;
      case TYPE.double:
        json.number(bson.double(p));
        break;
      case TYPE.date:
        json.date(bson.long(p));
        break;
      case TYPE.boolean:
        json.ascii(bson.bytes[p] === 0 ? "false" : "true");
        break;
      case TYPE.null:
      case TYPE.undefined:
        json.ascii("null");
        break;
      case TYPE.int64:
        this.#int64(p);
        break;
      case TYPE.document:
      case TYPE.array:
        this.#nested(type, p, behind);
        break;
      default:
        this.#foreign(type, p, behind);
    }
    json.comma();
    return behind;
  }

  #int64(p: number): void {
    const value = this.#bson.long(p);
    this.#json.ascii(String(Number.isSafeInteger(value) ? value : this.#bson.bigint(p)));
  }

  #nested(type: number, start: number, end: number): void {
    if (++this.#nesting > NESTING_MAX) malformed(`BSON nested deeper than ${NESTING_MAX} levels`);
    if (type === TYPE.document) {
      this.#json.open("{");
      this.#members(start + LENGTH_BYTES, end, false);
      this.#json.close("}");
    } else {
      this.#json.open("[");
      this.#elements(start + LENGTH_BYTES, end);
      this.#json.close("]");
    }
    this.#nesting--;
  }

  #elements(from: number, end: number): void {
    const { bytes } = this.#bson;
    for (let p = from; p < end - 1;) p = this.#value(bytes[p]!, this.#bson.value(p), end);
  }

  /** Writes a value of a type that only other programs write. */
  #foreign(type: number, p: number, behind: number): void {
    const bson = this.#bson;
    switch (type) {
      case TYPE.binary:
        return this.#binary(p + LENGTH_BYTES, behind);
      case TYPE.decimal:
        return this.#json.ascii(`"${new BSON.Decimal128(bson.bytes.subarray(p, behind))}"`);
      case TYPE.timestamp:
        return this.#json.date(bson.uint32(p + 4) * 1000);
      case TYPE.regex:
        return this.#regex(p, behind);
      case TYPE.pointer:
        return this.#json.hex(bson.bytes, behind - 12, behind);
      case TYPE.scopedCode:
        return this.#scopedCode(p + LENGTH_BYTES, behind);
      default:
        return this.#json.ascii(type === TYPE.minKey ? '"MinKey"' : '"MaxKey"');
    }
  }

  /** Writes a UUID in its usual notation, and other bytes in base64. */
  #binary(subtype: number, behind: number): void {
    const { bytes } = this.#bson;
    const repeatedLength = bytes[subtype] === BINARY.old ? LENGTH_BYTES : 0;
    const data = bytes.subarray(subtype + 1 + repeatedLength, behind);
    const isUuid = bytes[subtype] === BINARY.uuid && data.length === UUID_BYTES;
    this.#json.ascii(`"${isUuid ? uuid(data) : data.toBase64()}"`);
  }

  #regex(p: number, behind: number): void {
    const [pattern, flags] = this.#bson.regex(p, behind);
    this.#json.append(new TextEncoder().encode(JSON.stringify(`/${pattern}/${flags}`)));
  }

  #scopedCode(p: number, end: number): void {
    const behind = this.#bson.endOfValue(TYPE.string, p, end);
    this.#json.string(this.#bson.bytes, p + LENGTH_BYTES, behind - 1);
  }
}

const uuid = (bytes: Uint8Array): string =>
  bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

function isArrayIndex(name: string): boolean {
  const index = Number(name);
  return index <= ARRAY_INDEX_MAX && String(index >>> 0) === name;
}

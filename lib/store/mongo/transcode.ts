import { BSON } from "mongodb";
import { JsonWriter } from "./json_writer.ts";

/**
 * The JSON text of BSON documents, written byte by byte without building objects. For what Corbel
 * stores it is the text that `jsonText` gives of the same record with `_id` first:
 *
 * | BSON | JSON |
 * | --- | --- |
 * | ObjectId | text of 24 hex digits in lower case |
 * | int32, int64 | number, all digits, also beyond 2^53 |
 * | double | number, -0 with its sign; NaN and the infinities are null |
 * | date | ISO 8601 text in UTC with milliseconds; null outside the range of JavaScript's dates |
 * | string, document, array, boolean, null | the same |
 *
 * Only other programs write these:
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
 * Bytes in text that are not UTF-8 become U+FFFD. Members come in the order of JavaScript's
 * objects: names that are array indexes first and ascending, then the others as stored. A name
 * that stands twice in one document is written twice, and whoever parses the text gets the last;
 * from the first name that begins with a digit on, only the last is written, in the first's place.
 */

/** The hidden member that carries a document's revision; no name in a document begins with a space. */
export const REVISION = " rev";

/** Levels of documents in documents; no MongoDB server stores as many. */
export const NESTING_MAX = 1_000;

/** The bytes are no BSON, or nested deeper than {@linkcode NESTING_MAX}. */
export class MalformedBson extends Error {
  override readonly name = "MalformedBson";
}

/**
 * One document's JSON text, and its revision: 0 if it has none.
 *
 * @throws {MalformedBson}
 */
export function documentJson(bytes: Uint8Array): { json: string; revision: number } {
  return new Transcoder(bytes).document();
}

/**
 * The JSON texts of a batch's documents in order, from a reply's undecoded `cursor`.
 *
 * @throws {MalformedBson} also where there is no batch in it
 */
export function batchTexts(cursor: Uint8Array): string[] {
  return new Transcoder(cursor).batch();
}

const TYPE = {
  double: 0x01,
  string: 0x02,
  document: 0x03,
  array: 0x04,
  binary: 0x05,
  undefined: 0x06,
  objectId: 0x07,
  boolean: 0x08,
  date: 0x09,
  null: 0x0a,
  regex: 0x0b,
  pointer: 0x0c,
  code: 0x0d,
  symbol: 0x0e,
  scopedCode: 0x0f,
  int32: 0x10,
  timestamp: 0x11,
  int64: 0x12,
  decimal: 0x13,
  maxKey: 0x7f,
  minKey: 0xff,
} as const;

/** Bytes of the values that are all alike in size. */
const FIXED_SIZE: readonly (number | undefined)[] = fixedSizes();

const UUID_SUBTYPE = 4;
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });
const [ZERO, NINE, UNDERSCORE] = [0x30, 0x39, 0x5f];

/**
 * Every length in the bytes is checked against the end of the document it stands in, so nothing
 * outside is read. The last byte of a document is known to be 0, which ends every name.
 */
class Transcoder {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #json: JsonWriter;
  #nesting = 0;
  #revision = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#json = new JsonWriter(2 * bytes.length);
  }

  document(): { json: string; revision: number } {
    this.#record(0, this.#whole());
    return { json: this.#json.text(), revision: this.#revision };
  }

  batch(): string[] {
    const end = this.#whole();
    for (let p = 4; p < end - 1;) {
      const value = this.#behindName(p + 1);
      if (this.#isNamed(p + 1, "firstBatch") || this.#isNamed(p + 1, "nextBatch")) {
        if (this.#bytes[p] !== TYPE.array) malformed();
        this.#lines(value, this.#behind(TYPE.array, value, end));
        const text = this.#json.text();
        return text === "" ? [] : text.split("\n"); // No JSON text of ours holds a line break.
      }
      p = this.#behind(this.#bytes[p]!, value, end);
    }
    return malformed();
  }

  /** One record a line. */
  #lines(start: number, end: number): void {
    let p = start + 4;
    while (p < end - 1) {
      if (this.#bytes[p] !== TYPE.document) malformed();
      const value = this.#behindName(p + 1);
      p = this.#behind(TYPE.document, value, end);
      if (this.#json.length > 0) this.#json.lineBreak();
      this.#record(value, p);
    }
  }

  /** A document of a collection: `_id` comes first, the revision is taken out. */
  #record(start: number, end: number): void {
    this.#revision = 0;
    this.#json.open("{");
    const first = start + 4;
    const id = this.#find("_id", first, end);
    const behindId = id === null ? first : this.#member(id, end);
    this.#members(id === first ? behindId : first, end, true);
    this.#json.close("}");
  }

  #members(from: number, end: number, isRecord: boolean): void {
    const opened = this.#json.length;
    let p = from;
    while (p < end - 1) {
      const initial = this.#bytes[p + 1]!;
      if (initial <= NINE && initial >= ZERO) return this.#ordered(p, end, { opened, isRecord });
      if (isRecord && initial <= UNDERSCORE && this.#isSpecial(p + 1)) p = this.#special(p, end);
      else p = this.#member(p, end);
    }
  }

  /** The members from the first on whose name may be an array index, which belong before all others. */
  #ordered(
    from: number,
    end: number,
    { opened, isRecord }: { opened: number; isRecord: boolean },
  ): void {
    const members = new Map<string, number>();
    let p = from;
    while (p < end - 1) {
      const value = this.#behindName(p + 1);
      if (isRecord && this.#isSpecial(p + 1)) this.#special(p, end);
      else members.set(UTF8.decode(this.#bytes.subarray(p + 1, value - 1)), p);
      p = this.#behind(this.#bytes[p]!, value, end);
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

  /** Whether a record's member is not written where it stands. */
  #isSpecial(name: number): boolean {
    return this.#isNamed(name, "_id") || this.#isNamed(name, REVISION);
  }

  #special(p: number, end: number): number {
    const value = this.#behindName(p + 1);
    const behind = this.#behind(this.#bytes[p]!, value, end);
    if (this.#isNamed(p + 1, REVISION)) this.#revision = this.#number(this.#bytes[p]!, value);
    return behind;
  }

  #number(type: number, p: number): number {
    if (type === TYPE.int32) return this.#view.getInt32(p, true);
    if (type === TYPE.int64) return Number(this.#view.getBigInt64(p, true));
    return type === TYPE.double ? this.#view.getFloat64(p, true) : 0;
  }

  #find(name: string, from: number, end: number): number | null {
    for (let p = from; p < end - 1;) {
      if (this.#isNamed(p + 1, name)) return p;
      p = this.#behind(this.#bytes[p]!, this.#behindName(p + 1), end);
    }
    return null;
  }

  #member(p: number, end: number): number {
    const value = this.#behindName(p + 1);
    this.#json.string(this.#bytes, p + 1, value - 1);
    this.#json.colon();
    const behind = this.#value(this.#bytes[p]!, value, end);
    this.#json.comma();
    return behind;
  }

  #elements(start: number, end: number): void {
    let p = start + 4;
    while (p < end - 1) {
      p = this.#value(this.#bytes[p]!, this.#behindName(p + 1), end);
      this.#json.comma();
    }
  }

  /** Writes a value; returns the offset behind it, as {@linkcode Transcoder.#behind} does. */
  #value(type: number, p: number, end: number): number {
    const behind = this.#behind(type, p, end);
    switch (type) {
      case TYPE.string:
      case TYPE.symbol:
      case TYPE.code:
        this.#string(p, behind);
        break;
      case TYPE.objectId:
        this.#json.hex(this.#bytes, p, behind);
        break;
      case TYPE.int32:
        this.#json.integer(this.#view.getInt32(p, true));
        break;
      case TYPE.double:
        this.#json.number(this.#view.getFloat64(p, true));
        break;
      case TYPE.date:
        this.#json.date(this.#long(p));
        break;
      case TYPE.boolean:
        this.#json.ascii(this.#bytes[p] === 1 ? "true" : "false");
        break;
      case TYPE.null:
      case TYPE.undefined:
        this.#json.ascii("null");
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
    return behind;
  }

  #nested(type: number, start: number, end: number): void {
    if (++this.#nesting > NESTING_MAX) {
      throw new MalformedBson(`BSON is nested deeper than ${NESTING_MAX} levels`);
    }
    if (type === TYPE.array) {
      this.#json.open("[");
      this.#elements(start, end);
      this.#json.close("]");
    } else {
      this.#json.open("{");
      this.#members(start + 4, end, false);
      this.#json.close("}");
    }
    this.#nesting--;
  }

  #string(p: number, behind: number): void {
    this.#json.string(this.#bytes, p + 4, behind - 1);
  }

  /** Exact only within the range of JavaScript's dates. */
  #long(p: number): number {
    return this.#view.getInt32(p + 4, true) * 2 ** 32 + this.#view.getUint32(p, true);
  }

  #int64(p: number): void {
    const value = this.#long(p);
    this.#json.ascii(
      Number.isSafeInteger(value) ? String(value) : String(this.#view.getBigInt64(p, true)),
    );
  }

  /** What only other programs write. */
  #foreign(type: number, p: number, behind: number): void {
    switch (type) {
      case TYPE.binary:
        return this.#binary(p, behind);
      case TYPE.decimal:
        return this.#json.ascii(`"${new BSON.Decimal128(this.#bytes.slice(p, behind))}"`);
      case TYPE.timestamp:
        return this.#json.date(this.#view.getUint32(p + 4, true) * 1000);
      case TYPE.regex:
        return this.#regex(p, behind);
      case TYPE.pointer:
        return this.#json.hex(this.#bytes, behind - 12, behind);
      case TYPE.scopedCode:
        return this.#string(p + 4, this.#behind(TYPE.string, p + 4, behind));
      default:
        return this.#json.ascii(type === TYPE.minKey ? '"MinKey"' : '"MaxKey"');
    }
  }

  #binary(p: number, behind: number): void {
    const bytes = this.#bytes.subarray(p + 5, behind);
    const isUuid = this.#bytes[p + 4] === UUID_SUBTYPE && bytes.length === 16;
    this.#json.ascii(
      isUuid
        ? `"${bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")}"`
        : `"${bytes.toBase64()}"`,
    );
  }

  #regex(p: number, behind: number): void {
    const flags = this.#behindName(p);
    const text = (from: number, to: number) => UTF8.decode(this.#bytes.subarray(from, to));
    const bytes = new TextEncoder().encode(`/${text(p, flags - 1)}/${text(flags, behind - 1)}`);
    this.#json.string(bytes, 0, bytes.length);
  }

  /** The offset behind a member's name, which is where its value begins. */
  #behindName(name: number): number {
    let p = name;
    while (this.#bytes[p] !== 0) p++;
    return p + 1;
  }

  #isNamed(p: number, name: string): boolean {
    for (let i = 0; i < name.length; i++) {
      if (this.#bytes[p + i] !== name.charCodeAt(i)) return false;
    }
    return this.#bytes[p + name.length] === 0;
  }

  /** The end of the document that the bytes are. */
  #whole(): number {
    const { length } = this.#bytes;
    return this.#sizeOfDocument(0, length + 1) === length ? length : malformed();
  }

  /** The offset behind a value; `end` is that of the document it stands in. */
  #behind(type: number, p: number, end: number): number {
    if (p >= end) malformed();
    const behind = p + (FIXED_SIZE[type] ?? this.#size(type, p, end));
    return behind < end ? behind : malformed(); // The document's own last byte is not the value's.
  }

  #size(type: number, p: number, end: number): number {
    switch (type) {
      case TYPE.string:
      case TYPE.symbol:
      case TYPE.code:
        return this.#sizeOfString(p, end);
      case TYPE.document:
      case TYPE.array:
        return this.#sizeOfDocument(p, end);
      case TYPE.binary:
        return 5 + this.#length(p, end);
      case TYPE.regex: {
        const flags = this.#behindName(p);
        return flags < end ? this.#behindName(flags) - p : malformed();
      }
      case TYPE.pointer:
        return this.#sizeOfString(p, end) + 12;
      case TYPE.scopedCode:
        return this.#length(p, end);
      default:
        return malformed();
    }
  }

  #sizeOfString(p: number, end: number): number {
    const behind = p + 4 + this.#length(p, end);
    if (behind === p + 4 || behind >= end || this.#bytes[behind - 1] !== 0) malformed();
    return behind - p;
  }

  #sizeOfDocument(p: number, end: number): number {
    const size = this.#length(p, end);
    if (size < 5 || p + size >= end || this.#bytes[p + size - 1] !== 0) malformed();
    return size;
  }

  #length(p: number, end: number): number {
    if (p + 4 >= end) malformed();
    const length = this.#view.getInt32(p, true);
    return length >= 0 ? length : malformed();
  }
}

function fixedSizes() {
  const sizes = Array<number | undefined>(256).fill(undefined);
  for (const type of [TYPE.double, TYPE.date, TYPE.int64, TYPE.timestamp]) sizes[type] = 8;
  for (const type of [TYPE.null, TYPE.undefined, TYPE.minKey, TYPE.maxKey]) sizes[type] = 0;
  sizes[TYPE.objectId] = 12;
  sizes[TYPE.boolean] = 1;
  sizes[TYPE.int32] = 4;
  sizes[TYPE.decimal] = 16;
  return sizes;
}

function isArrayIndex(name: string): boolean {
  const index = Number(name);
  return index < 2 ** 32 - 1 && String(index >>> 0) === name;
}

function malformed(): never {
  throw new MalformedBson("The bytes are not a BSON document");
}

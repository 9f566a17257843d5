/** The byte that stands for each type of BSON. */
export const TYPE = {
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

/** Bytes of a value by its type; -1 where its first bytes tell. */
const SIZES = new Int8Array(256).fill(-1);
for (const type of [TYPE.double, TYPE.date, TYPE.int64, TYPE.timestamp]) SIZES[type] = 8;
for (const type of [TYPE.null, TYPE.undefined, TYPE.minKey, TYPE.maxKey]) SIZES[type] = 0;
SIZES[TYPE.objectId] = 12;
SIZES[TYPE.boolean] = 1;
SIZES[TYPE.int32] = 4;
SIZES[TYPE.decimal] = 16;

/** Bytes of the length that documents, text and binaries begin with. */
export const LENGTH_BYTES = 4;

/** Bytes of an empty document: its length and the 0 at its end. */
const DOCUMENT_BYTES_MIN = 5;

const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The bytes are not a BSON document that can be read. */
export class MalformedBson extends Error {
  override readonly name = "MalformedBson";
}

/** @throws {MalformedBson} always */
export function malformed(what = "The bytes are not a BSON document"): never {
  throw new MalformedBson(what);
}

/**
 * Finds its way through BSON by offsets. Outside the bytes nothing is read: `behind` lets no value
 * reach the end of its document, whose last byte is known to be 0 and so ends every name in it.
 */
export class BsonReader {
  readonly bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The end of the document that all the bytes are. */
  end(): number {
    const { length } = this.bytes;
    return this.#documentSize(0, length) === length ? length : malformed();
  }

  /** The first member of that name, or null. Members lie between `from` and `end`. */
  find(name: string, from: number, end: number): number | null {
    for (let p = from; p < end - 1; p = this.behindMember(p, end)) {
      if (this.isNamed(p, name)) return p;
    }
    return null;
  }

  /** Whether a member has that name, in ASCII. */
  isNamed(member: number, name: string): boolean {
    const from = member + 1;
    for (let i = 0; i < name.length; i++) {
      if (this.bytes[from + i] !== name.charCodeAt(i)) return false;
    }
    return this.bytes[from + name.length] === 0;
  }

  /** The offset of a member's value, behind its type and name. */
  value(member: number): number {
    return this.#behindZero(member + 1);
  }

  behindMember(member: number, end: number): number {
    return this.behind(this.bytes[member]!, this.value(member), end);
  }

  /** The offset behind a value in a document that ends at `end`. */
  behind(type: number, value: number, end: number): number {
    if (value >= end) malformed();
    const size = SIZES[type]!;
    const behind = value + (size >= 0 ? size : this.#size(type, value, end));
    return behind < end ? behind : malformed();
  }

  /** Text between two offsets; what is not UTF-8 is U+FFFD. */
  text(from: number, to: number): string {
    return UTF8.decode(this.bytes.subarray(from, to));
  }

  /** A regex's pattern and flags. */
  regex(p: number, behind: number): [string, string] {
    const flags = this.#behindZero(p);
    return [this.text(p, flags - 1), this.text(flags, behind - 1)];
  }

  int32(p: number): number {
    return this.#view.getInt32(p, true);
  }

  uint32(p: number): number {
    return this.#view.getUint32(p, true);
  }

  double(p: number): number {
    return this.#view.getFloat64(p, true);
  }

  /** A 64-bit integer as the nearest number: itself, if that is a safe integer. */
  long(p: number): number {
    return this.#view.getInt32(p + 4, true) * 2 ** 32 + this.#view.getUint32(p, true);
  }

  bigint(p: number): bigint {
    return this.#view.getBigInt64(p, true);
  }

  #size(type: number, p: number, end: number): number {
    switch (type) {
      case TYPE.string:
      case TYPE.symbol:
      case TYPE.code:
        return this.#stringSize(p, end);
      case TYPE.document:
      case TYPE.array:
        return this.#documentSize(p, end);
      case TYPE.binary:
        return LENGTH_BYTES + 1 + this.#length(p, end); // One more for the subtype.
      case TYPE.regex: {
        const flags = this.#behindZero(p);
        return flags < end ? this.#behindZero(flags) - p : malformed();
      }
      case TYPE.pointer:
        return this.#stringSize(p, end) + 12;
      case TYPE.scopedCode:
        return this.#length(p, end);
      default:
        return malformed();
    }
  }

  #stringSize(p: number, end: number): number {
    const length = this.#length(p, end);
    const behind = p + LENGTH_BYTES + length;
    if (length === 0 || this.bytes[behind - 1] !== 0) malformed();
    return behind - p;
  }

  #documentSize(p: number, end: number): number {
    const size = this.#length(p, end);
    const behind = p + size;
    if (size < DOCUMENT_BYTES_MIN || this.bytes[behind - 1] !== 0) malformed();
    return size;
  }

  #length(p: number, end: number): number {
    if (p + LENGTH_BYTES >= end) malformed();
    const length = this.#view.getInt32(p, true);
    return length >= 0 ? length : malformed();
  }

  #behindZero(from: number): number {
    let p = from;
    while (this.bytes[p] !== 0) p++;
    return p + 1;
  }
}

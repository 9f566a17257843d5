/** The bytes that denote BSON types. */
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

/** Size of a value in bytes by its type; -1 if the value itself contains its size. */
const SIZES = new Int8Array(256).fill(-1);
for (const type of [TYPE.double, TYPE.date, TYPE.int64, TYPE.timestamp]) SIZES[type] = 8;
for (const type of [TYPE.null, TYPE.undefined, TYPE.minKey, TYPE.maxKey]) SIZES[type] = 0;
SIZES[TYPE.objectId] = 12;
SIZES[TYPE.boolean] = 1;
SIZES[TYPE.int32] = 4;
SIZES[TYPE.decimal] = 16;

/** Size in bytes of the length with which documents, texts and binaries begin. */
export const LENGTH_BYTES = 4;

/** Size in bytes of an empty document: its length and the terminating 0. */
const DOCUMENT_BYTES_MIN = 5;

const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The bytes are not a readable BSON document. */
export class MalformedBson extends Error {
  override readonly name = "MalformedBson";
}

export function malformed(what = "The bytes are not a BSON document"): never {
  throw new MalformedBson(what);
}

/**
 * Reads BSON by offsets, never beyond the given bytes: `endOfValue` rejects values that reach the
 * end of their document, and the last byte of every document is 0, which terminates all names in
 * it.
 */
export class BsonReader {
  readonly bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Returns the end of the document that consists of all bytes. */
  end(): number {
    const { length } = this.bytes;
    return this.#documentSize(0, length) === length ? length : malformed();
  }

  /** Returns the offset of the first member of a name between `from` and `end`, or null. */
  find(name: string, from: number, end: number): number | null {
    for (let p = from; p < end - 1; p = this.endOfMember(p, end)) {
      if (this.isNamed(p, name)) return p;
    }
    return null;
  }

  /** Whether a member has an ASCII name. */
  isNamed(member: number, name: string): boolean {
    const from = member + 1;
    for (let i = 0; i < name.length; i++) {
      if (this.bytes[from + i] !== name.charCodeAt(i)) return false;
    }
    return this.bytes[from + name.length] === 0;
  }

  /** Returns the offset of a member's value, after its type and name. */
  value(member: number): number {
    return this.#endOfText(member + 1);
  }

  endOfMember(member: number, end: number): number {
    return this.endOfValue(this.bytes[member]!, this.value(member), end);
  }

  /** Returns the offset after a value in a document that ends at `end`. */
  endOfValue(type: number, value: number, end: number): number {
    if (value >= end) malformed();
    const size = SIZES[type]!;
    const behind = value + (size >= 0 ? size : this.#size(type, value, end));
    return behind < end ? behind : malformed();
  }

  /** Returns the text between two offsets. Invalid UTF-8 becomes U+FFFD. */
  text(from: number, to: number): string {
    return UTF8.decode(this.bytes.subarray(from, to));
  }

  regex(p: number, behind: number): [string, string] {
    const flags = this.#endOfText(p);
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

  /** Returns a 64-bit integer as the nearest number, which is exact for safe integers. */
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
        return LENGTH_BYTES + 1 + this.#length(p, end); // One byte is the subtype.
      case TYPE.regex: {
        const flags = this.#endOfText(p);
        return flags < end ? this.#endOfText(flags) - p : malformed();
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

  #endOfText(from: number): number {
    let p = from;
    while (this.bytes[p] !== 0) p++;
    return p + 1;
  }
}

const LINE_FEED = 0x0a;

/** Error for bytes that are not UTF-8. The message is a predicate: "is UTF-16, not UTF-8". */
export class NotUtf8 extends Error {
  override readonly name = "NotUtf8";
  /** Message without the line number. */
  readonly why: string;

  /** @param line Number of the first line that is not UTF-8; null if it is unknown. */
  constructor(why: string, line: number | null = null) {
    super(line === null ? why : `${why} (line ${line})`);
    this.why = why;
  }
}

/** Decodes a text and removes a leading byte order mark. Throws {@linkcode NotUtf8}. */
export function decodeUtf8(bytes: Uint8Array): string {
  if (isUtf16(bytes)) throw new NotUtf8("is UTF-16, not UTF-8");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new NotUtf8("is not UTF-8, but perhaps Windows-1252", findBrokenLine(bytes));
  }
}

/** Whether bytes start with UTF-16's byte order mark or with a character that contains a zero. */
function isUtf16(bytes: Uint8Array): boolean {
  if (bytes.length < 2) return false;
  const [first, second] = [bytes[0], bytes[1]];
  const isMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isMark || first === 0 || second === 0;
}

/** Splits lines at the byte of the line feed, because no other UTF-8 character contains it. */
function findBrokenLine(bytes: Uint8Array): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 1;
  for (let start = 0; start < bytes.length; number++) {
    const at = bytes.indexOf(LINE_FEED, start);
    const end = at === -1 ? bytes.length : at + 1;
    try {
      decoder.decode(bytes.subarray(start, end));
    } catch {
      return number;
    }
    start = end;
  }
  return number;
}

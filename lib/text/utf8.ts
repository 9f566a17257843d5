const LINE_FEED = 0x0a;

/** Bytes are no text in UTF-8. Its message is a predicate, such as "is UTF-16, not UTF-8". */
export class NotUtf8 extends Error {
  override readonly name = "NotUtf8";
  /** The message without the number of the line. */
  readonly why: string;

  /** @param line The first line that is not UTF-8; null where none is. */
  constructor(why: string, line: number | null = null) {
    super(line === null ? why : `${why} (line ${line})`);
    this.why = why;
  }
}

/** Decodes a text, without the byte order mark that it may begin with. Throws {@linkcode NotUtf8}. */
export function decodeUtf8(bytes: Uint8Array): string {
  if (isUtf16(bytes)) throw new NotUtf8("is UTF-16, not UTF-8");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new NotUtf8("is not UTF-8, but perhaps Windows-1252", brokenLine(bytes));
  }
}

/** Whether bytes begin like UTF-16: with its byte order mark, or with a zero in the first character. */
function isUtf16(bytes: Uint8Array): boolean {
  if (bytes.length < 2) return false;
  const [first, second] = [bytes[0], bytes[1]];
  const isMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isMark || first === 0 || second === 0;
}

/** The number of the first line that is not UTF-8: no other character has a line feed among its bytes. */
function brokenLine(bytes: Uint8Array): number {
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

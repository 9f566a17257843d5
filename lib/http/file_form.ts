import { parseMultipart } from "@remix-run/multipart-parser";
import { Problem } from "../problems.ts";
import { boundaryOf } from "./boundary.ts";
import { joined } from "./bounded_reader.ts";

/** The file that a form brings, before its first byte is read. */
export interface FormFile {
  readonly filename: string;
  readonly contentType: string;
  /** As the length of the whole form tells. */
  readonly bytes: number;
  /** To be read once. A form that was cut off brings fewer. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface FormHeaders {
  readonly contentType: string | null;
  readonly contentLength: string | null;
}

/**
 * Reads a form whose one field is a file, as far as the file's first byte. A form does not say how
 * long its file is; but what comes behind it is always the same, so the rest of the body tells. The
 * file itself is handed on as it arrives, and is never looked through: nothing of it is held. A
 * chunk is good until the next one is asked for. Throws `UNSUPPORTED_MEDIA_TYPE` and
 * `INVALID_UPLOAD`, which reading the file may throw too.
 */
export async function readFileForm(
  { contentType, contentLength }: FormHeaders,
  body: AsyncIterable<Uint8Array>,
): Promise<FormFile> {
  const boundary = boundaryOf(contentType ?? "");
  if (boundary === null) {
    throw new Problem("UNSUPPORTED_MEDIA_TYPE", {
      message: "The body must be a form with a file.",
    });
  }
  if (contentLength === null) throw unreadable("does not say how long it is");
  const source = body[Symbol.asyncIterator]();
  try {
    const { head, rest } = await readHead(source);
    const tail = new TextEncoder().encode(`\r\n--${boundary}--\r\n`);
    const bytes = Number(contentLength) - head.length - tail.length;
    if (bytes < 0) throw unreadable("is shorter than a form with a file");
    const file = fileOf(boundary, head, tail);
    return { ...file, bytes, chunks: contentOf(source, rest, { bytes, tail }) };
  } catch (error) {
    await source.return?.();
    throw error;
  }
}

const unreadable = (why: string, cause?: unknown) =>
  new Problem("INVALID_UPLOAD", { message: `The form ${why}: send one file.`, cause });

const HEAD_BYTES_MAX = 8192;
const BLANK_LINE = [13, 10, 13, 10];

/** What stands before the file's first byte, and what of the file came with it. */
async function readHead(
  source: AsyncIterator<Uint8Array>,
): Promise<{ head: Uint8Array; rest: Uint8Array }> {
  let read = new Uint8Array();
  let from = 0;
  for (;;) {
    const end = blankLineIn(read, from);
    if (end >= 0) {
      const at = end + BLANK_LINE.length;
      return { head: read.subarray(0, at), rest: read.subarray(at) };
    }
    if (read.length > HEAD_BYTES_MAX) throw unreadable("begins with too much before its file");
    const { done, value } = await source.next();
    if (done) throw unreadable("ends before its file");
    // What has been looked through is not looked through again: bytes may come one by one.
    from = Math.max(0, read.length - BLANK_LINE.length + 1);
    read = joined([read, value]);
  }
}

function blankLineIn(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(BLANK_LINE[0]!, from); at >= 0;) {
    if (BLANK_LINE.every((byte, i) => bytes[at + i] === byte)) return at;
    at = bytes.indexOf(BLANK_LINE[0]!, at + 1);
  }
  return -1;
}

/** Read as if the file were empty. */
function fileOf(
  boundary: string,
  head: Uint8Array,
  tail: Uint8Array,
): Pick<FormFile, "filename" | "contentType"> {
  try {
    const [part] = parseMultipart(joined([head, tail]), { boundary });
    const filename = part?.filename;
    if (part !== undefined && filename !== undefined) {
      return { filename, contentType: part.headers["content-type"] ?? OPAQUE };
    }
  } catch (error) {
    throw unreadable("cannot be read", error);
  }
  throw unreadable("has no file");
}

const OPAQUE = "application/octet-stream";

async function* contentOf(
  source: AsyncIterator<Uint8Array>,
  rest: Uint8Array,
  { bytes, tail }: { bytes: number; tail: Uint8Array },
): AsyncGenerator<Uint8Array, void> {
  let left = bytes;
  let behind = new Uint8Array();
  try {
    for (let chunk: Uint8Array | undefined = rest; chunk !== undefined;) {
      const content = chunk.subarray(0, left);
      left -= content.length;
      behind = joined([behind, chunk.subarray(content.length)]);
      if (content.length > 0) yield content;
      const { done, value }: IteratorResult<Uint8Array> = await source.next();
      chunk = done ? undefined : value;
    }
  } finally {
    await source.return?.();
  }
  const isWhole = behind.length === tail.length && behind.every((byte, at) => byte === tail[at]);
  if (left === 0 && !isWhole) throw unreadable("goes on behind its file");
}

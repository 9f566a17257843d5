import { parseMultipart } from "@remix-run/multipart-parser";
import { Problem } from "../problems.ts";
import { boundaryOf } from "./boundary.ts";
import { concatBytes } from "./bounded_reader.ts";

export interface FormFile {
  readonly filename: string;
  readonly contentType: string;
  /** Size of the file, computed from the length of the form. */
  readonly bytes: number;
  /** The content, which can be read once. It is shorter than `bytes` if the form was cut off. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface FormHeaders {
  readonly contentType: string | null;
  readonly contentLength: string | null;
}

/**
 * Reads a form with one file, up to its first byte. Chunks are valid until the next one is read.
 * Throws `UNSUPPORTED_MEDIA_TYPE` and `INVALID_UPLOAD`, as reading the content may.
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
  if (contentLength === null) throw invalidForm("has no Content-Length");
  const source = body[Symbol.asyncIterator]();
  try {
    const { head, rest } = await readHead(source);
    const tail = new TextEncoder().encode(`\r\n--${boundary}--\r\n`);
    const bytes = Number(contentLength) - head.length - tail.length;
    if (bytes < 0) throw invalidForm("is shorter than a form with a file");
    const file = parseFilePart(boundary, head, tail);
    return { ...file, bytes, chunks: readContent(source, rest, { bytes, tail }) };
  } catch (error) {
    await source.return?.();
    throw error;
  }
}

const invalidForm = (why: string, cause?: unknown) =>
  new Problem("INVALID_UPLOAD", { message: `The form ${why}: send one file.`, cause });

const HEAD_BYTES_MAX = 8192;
const BLANK_LINE = [13, 10, 13, 10];

/** Reads the bytes before the file. `rest` is the part of the file that arrived with them. */
async function readHead(
  source: AsyncIterator<Uint8Array>,
): Promise<{ head: Uint8Array; rest: Uint8Array }> {
  let read = new Uint8Array();
  let from = 0;
  for (;;) {
    const end = findBlankLine(read, from);
    if (end >= 0) {
      const at = end + BLANK_LINE.length;
      return { head: read.subarray(0, at), rest: read.subarray(at) };
    }
    if (read.length > HEAD_BYTES_MAX) throw invalidForm("has too much content before its file");
    const { done, value } = await source.next();
    if (done) throw invalidForm("ends before its file");
    // Bytes may arrive one by one, so the search continues where it ended.
    from = Math.max(0, read.length - BLANK_LINE.length + 1);
    read = concatBytes([read, value]);
  }
}

function findBlankLine(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(BLANK_LINE[0]!, from); at >= 0;) {
    if (BLANK_LINE.every((byte, i) => bytes[at + i] === byte)) return at;
    at = bytes.indexOf(BLANK_LINE[0]!, at + 1);
  }
  return -1;
}

/** Parses the form as if the file were empty. */
function parseFilePart(
  boundary: string,
  head: Uint8Array,
  tail: Uint8Array,
): Pick<FormFile, "filename" | "contentType"> {
  try {
    const [part] = parseMultipart(concatBytes([head, tail]), { boundary });
    const filename = part?.filename;
    if (part !== undefined && filename !== undefined) {
      return { filename, contentType: part.headers["content-type"] ?? DEFAULT_TYPE };
    }
  } catch (error) {
    throw invalidForm("cannot be read", error);
  }
  throw invalidForm("has no file");
}

const DEFAULT_TYPE = "application/octet-stream";

async function* readContent(
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
      behind = concatBytes([behind, chunk.subarray(content.length)]);
      if (content.length > 0) yield content;
      const { done, value }: IteratorResult<Uint8Array> = await source.next();
      chunk = done ? undefined : value;
    }
  } finally {
    await source.return?.();
  }
  const isComplete = behind.length === tail.length && behind.every((byte, at) => byte === tail[at]);
  if (left === 0 && !isComplete) throw invalidForm("has content after its file");
}

import { randomToken } from "../../lib/crypto/random.ts";
import { namesTag } from "../../lib/http/etags.ts";
import type { ByteRange } from "../../lib/http/ranges.ts";
import type { ServedFile } from "../../lib/files/served_files.ts";
import { readRanges } from "../../lib/http/ranges.ts";
import type { Reply } from "../../lib/http/respond.ts";

/** Where the bytes of a file come from. */
export interface FileSource {
  exists(): Promise<boolean>;
  /** Null when it is gone. */
  body(range: ByteRange | null): Promise<FileBody | null>;
}

export type FileBody = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** The headers of a request that bear on files. */
export interface FileRequest {
  readonly isHead: boolean;
  readonly range: string | null;
  readonly ifRange: string | null;
  readonly ifNoneMatch: string | null;
}

/**
 * Answers as RFC 9110 says: the whole, one part, several as `multipart/byteranges`, or nothing to
 * whoever holds it already. Null when the file is gone. Throws `RANGE_NOT_SATISFIABLE`.
 */
export async function fileReply(
  file: ServedFile,
  source: FileSource,
  asked: FileRequest,
): Promise<Reply | null> {
  const { etag, bytes, headers } = file;
  if (asked.ifNoneMatch !== null && namesTag(asked.ifNoneMatch, etag, true)) {
    return await source.exists() ? { status: 304, body: null, headers } : null;
  }
  if (asked.isHead) {
    const described = [...headers, ...measured(file.contentType, bytes)];
    return await source.exists() ? { status: 200, body: null, headers: described } : null;
  }
  const ranges = asked.range === null || !holds(asked.ifRange, etag)
    ? null
    : readRanges(asked.range, bytes);
  if (ranges !== null && ranges.length > 1) return await several(file, source, ranges);
  const range = ranges?.[0] ?? null;
  const body = await source.body(range);
  if (body === null) return null;
  return {
    status: range === null ? 200 : 206,
    body,
    type: file.contentType,
    headers: [
      ...headers,
      ["content-length", String(range?.length ?? bytes)],
      ...range === null ? [] : [["content-range", contentRange(range, bytes)] as const],
    ],
  };
}

/** Of a date nothing is known, and a weak tag is not enough for parts. */
const holds = (ifRange: string | null, etag: string) => ifRange === null || ifRange.trim() === etag;

const measured = (type: string, bytes: number) =>
  [["content-type", type], ["content-length", String(bytes)]] as const;

const contentRange = ({ offset, length }: ByteRange, bytes: number): string =>
  `bytes ${offset}-${offset + length - 1}/${bytes}`;

const encoder = new TextEncoder();

async function several(
  file: ServedFile,
  source: FileSource,
  ranges: readonly ByteRange[],
): Promise<Reply | null> {
  if (!await source.exists()) return null;
  const boundary = randomToken();
  const heads = ranges.map((range) =>
    encoder.encode(
      `\r\n--${boundary}\r\ncontent-type: ${file.contentType}\r\n` +
        `content-range: ${contentRange(range, file.bytes)}\r\n\r\n`,
    )
  );
  const end = encoder.encode(`\r\n--${boundary}--\r\n`);

  async function* parts(): AsyncGenerator<Uint8Array> {
    for (const [i, range] of ranges.entries()) {
      yield heads[i]!;
      const body = await source.body(range);
      if (body === null) throw new Error("The file was removed while it was read");
      if (body instanceof Uint8Array) yield body;
      else yield* body;
    }
    yield end;
  }

  const length = ranges.reduce((sum, { length }, i) => sum + length + heads[i]!.length, end.length);
  return {
    status: 206,
    body: ReadableStream.from(parts()),
    type: `multipart/byteranges; boundary=${boundary}`,
    headers: [...file.headers, ["content-length", String(length)]],
  };
}

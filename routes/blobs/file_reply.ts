import { randomToken } from "../../lib/crypto/random.ts";
import { matchesTag } from "../../lib/http/etags.ts";
import type { ByteRange } from "../../lib/http/ranges.ts";
import type { ServedFile } from "../../lib/files/served_files.ts";
import { readRanges } from "../../lib/http/ranges.ts";
import type { Reply } from "../../lib/http/respond.ts";

export interface FileSource {
  exists(): Promise<boolean>;
  /** Returns the bytes, or null if the file is gone. */
  body(range: ByteRange | null): Promise<FileBody | null>;
}

export type FileBody = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

export interface FileRequest {
  readonly isHead: boolean;
  readonly range: string | null;
  readonly ifRange: string | null;
  readonly ifNoneMatch: string | null;
}

/** Returns the reply of RFC 9110, or null if the file is gone. Throws `RANGE_NOT_SATISFIABLE`. */
export async function fileReply(
  file: ServedFile,
  source: FileSource,
  asked: FileRequest,
): Promise<Reply | null> {
  const { etag, bytes, headers } = file;
  if (asked.ifNoneMatch !== null && matchesTag(asked.ifNoneMatch, etag, true)) {
    return await source.exists() ? { status: 304, body: null, headers } : null;
  }
  if (asked.isHead) {
    const described = [...headers, ...sizeHeaders(file.contentType, bytes)];
    return await source.exists() ? { status: 200, body: null, headers: described } : null;
  }
  const ranges = asked.range === null || !isRangeValid(asked.ifRange, etag)
    ? null
    : readRanges(asked.range, bytes);
  if (ranges !== null && ranges.length > 1) return await multipartReply(file, source, ranges);
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

/** Whether `If-Range` permits a partial reply. A date or a weak tag does not match. */
const isRangeValid = (ifRange: string | null, etag: string) =>
  ifRange === null || ifRange.trim() === etag;

const sizeHeaders = (type: string, bytes: number) =>
  [["content-type", type], ["content-length", String(bytes)]] as const;

const contentRange = ({ offset, length }: ByteRange, bytes: number): string =>
  `bytes ${offset}-${offset + length - 1}/${bytes}`;

const encoder = new TextEncoder();

async function multipartReply(
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

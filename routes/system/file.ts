import type { HonoRequest } from "hono";
import { matchesTag } from "@/lib/http/etags.ts";
import type { Reply } from "@/lib/http/respond.ts";
import { acceptsEncoding, compressText, decompress, encodingHeaders } from "../compression.ts";
import { sha256 } from "@/lib/crypto/hashes.ts";

/** A file that is served unchanged, with a precomputed entity tag. */
export interface StaticFile {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly etag: string;
}

export function staticFile(
  type: string,
  body: StaticFile["body"],
  headers: StaticFile["headers"] = [],
): StaticFile {
  const text = typeof body === "string" ? body : body.toBase64();
  return { type, body, headers, etag: `"${sha256(text).slice(0, 27)}"` };
}

export interface CompressedFile extends StaticFile {
  readonly body: Uint8Array<ArrayBuffer>;
}

export async function compressedFile(type: string, text: string): Promise<CompressedFile> {
  const body = await compressText(text, "gzip");
  return { ...staticFile(type, body, encodingHeaders("gzip")), body };
}

/** Returns the decompressed file, under another entity tag, for clients that do not accept gzip. */
export const decompressedFile = async (
  { type, body, etag }: CompressedFile,
): Promise<StaticFile> => ({
  type,
  body: await decompress(body),
  headers: [["vary", "accept-encoding"]],
  etag: etag.replace(/"$/, '-plain"'),
});

export const textFile = async (
  type: string,
  text: string,
  isPacked: boolean,
): Promise<StaticFile> =>
  isPacked
    ? await compressedFile(type, text)
    : staticFile(type, text, [["vary", "accept-encoding"]]);

/** Returns a function that serves generated texts. The first request for a text generates it. */
export function createTextServer(type: string) {
  const files = new Map<string, Promise<StaticFile>>();
  /** @param key Identifies the input of the text. */
  return async (
    request: HonoRequest,
    key: string,
    make: () => string | Promise<string>,
  ): Promise<Reply> => {
    const isPacked = acceptsEncoding(request.header("accept-encoding") ?? null, "gzip");
    const name = `${key} ${isPacked}`;
    let file = files.get(name);
    if (file === undefined) {
      file = Promise.resolve(make()).then((text) => textFile(type, text, isPacked));
      files.set(name, file);
    }
    return serveFile(await file, request.header("if-none-match") ?? null);
  };
}

export function serveFile(file: StaticFile, ifNoneMatch: string | null): Reply {
  const headers = [...file.headers, ["etag", file.etag], ["cache-control", "no-cache"]] as const;
  if (ifNoneMatch !== null && matchesTag(ifNoneMatch, file.etag, true)) {
    return { status: 304, body: null, headers };
  }
  return { status: 200, body: file.body, type: file.type, headers };
}

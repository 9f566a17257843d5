import type { HonoRequest } from "hono";
import { namesTag } from "@/lib/http/etags.ts";
import type { Reply } from "@/lib/http/respond.ts";
import { packed, packedHeaders, takesEncoding, unpacked } from "../compression.ts";
import { sha256 } from "@/lib/crypto/hashes.ts";

/** A file that is served as it is, with its tag made once. */
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

/** A file that is kept packed. */
export interface PackedFile extends StaticFile {
  readonly body: Uint8Array<ArrayBuffer>;
}

export async function packedFile(type: string, text: string): Promise<PackedFile> {
  const body = await packed(text, "gzip");
  return { ...staticFile(type, body, packedHeaders("gzip")), body };
}

/** The same file for those who do not take it packed, under a tag of its own. */
export const unpackedFile = async (
  { type, body, etag }: PackedFile,
): Promise<StaticFile> => ({
  type,
  body: await unpacked(body),
  headers: [["vary", "accept-encoding"]],
  etag: etag.replace(/"$/, '-plain"'),
});

/** A text as a file, for those who take it packed or for the others. */
export const textFile = async (
  type: string,
  text: string,
  isPacked: boolean,
): Promise<StaticFile> =>
  isPacked ? await packedFile(type, text) : staticFile(type, text, [["vary", "accept-encoding"]]);

/** Texts served as files of one type: each is made when the first asks for it, then kept. */
export function keptTexts(type: string) {
  const files = new Map<string, Promise<StaticFile>>();
  /** @param key Names what the text follows from. */
  return async (
    request: HonoRequest,
    key: string,
    make: () => string | Promise<string>,
  ): Promise<Reply> => {
    const isPacked = takesEncoding(request.header("accept-encoding") ?? null, "gzip");
    const name = `${key} ${isPacked}`;
    let file = files.get(name);
    if (file === undefined) {
      file = Promise.resolve(make()).then((text) => textFile(type, text, isPacked));
      files.set(name, file);
    }
    return serveFile(await file, request.header("if-none-match") ?? null);
  };
}

/** The file, or 304 for whoever holds it already. */
export function serveFile(file: StaticFile, ifNoneMatch: string | null): Reply {
  const headers = [...file.headers, ["etag", file.etag], ["cache-control", "no-cache"]] as const;
  if (ifNoneMatch !== null && namesTag(ifNoneMatch, file.etag, true)) {
    return { status: 304, body: null, headers };
  }
  return { status: 200, body: file.body, type: file.type, headers };
}

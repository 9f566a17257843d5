import { promisify } from "node:util";
import { brotliCompress, gunzip, gzip } from "node:zlib";
import type { RequestState } from "@/lib/http/request.ts";
import type { Reply } from "@/lib/http/respond.ts";

/** Characters below which compression saves less than its headers add. */
const COMPRESSED_CHARACTERS_MIN = 1024;

const METHODS = { br: promisify(brotliCompress), gzip: promisify(gzip) } as const;

export type Encoding = keyof typeof METHODS;

/** Whether an `Accept-Encoding` header names the encoding with a weight above 0. */
export const acceptsEncoding = (header: string | null, encoding: Encoding): boolean =>
  (header ?? "").toLowerCase().split(",").some((entry) => {
    const [name, ...parameters] = entry.split(";").map((one) => one.trim());
    return name === encoding && !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one));
  });

export const compressText = async (
  text: string,
  encoding: Encoding,
): Promise<Uint8Array<ArrayBuffer>> => Uint8Array.from(await METHODS[encoding](text));

const gunzipAsync = promisify(gunzip);

/** Decompresses the gzip output of {@linkcode compressText} into the bytes of the text. */
export const decompress = async (bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> =>
  Uint8Array.from(await gunzipAsync(bytes));

export const encodingHeaders = (encoding: Encoding) =>
  [["content-encoding", encoding], ["vary", "accept-encoding"]] as const;

/** Compresses a page with gzip, because brotli is too slow for pages rendered per request. */
export async function compressPage({ raw }: RequestState, reply: Reply): Promise<Reply> {
  const { body, headers = [] } = reply;
  if (typeof body !== "string" || body.length < COMPRESSED_CHARACTERS_MIN) return reply;
  const isTaken = acceptsEncoding(raw.headers.get("accept-encoding"), "gzip");
  if (!isTaken) return { ...reply, headers: [...headers, ["vary", "accept-encoding"]] };
  const bytes = await compressText(body, "gzip");
  return { ...reply, body: bytes, headers: [...headers, ...encodingHeaders("gzip")] };
}

import { promisify } from "node:util";
import { brotliCompress, gunzip, gzip } from "node:zlib";
import type { RequestState } from "@/lib/http/request.ts";
import type { Reply } from "@/lib/http/respond.ts";

/** Below that, packing saves less than its headers take. */
const WORTH_IT = 1024;

const METHODS = { br: promisify(brotliCompress), gzip: promisify(gzip) } as const;

export type Encoding = keyof typeof METHODS;

/** Whether an `Accept-Encoding` header names the encoding, and not to refuse it. */
export const takesEncoding = (header: string | null, encoding: Encoding): boolean =>
  (header ?? "").toLowerCase().split(",").some((entry) => {
    const [name, ...parameters] = entry.split(";").map((one) => one.trim());
    return name === encoding && !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one));
  });

export const packed = async (text: string, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> =>
  Uint8Array.from(await METHODS[encoding](text));

const unpack = promisify(gunzip);

/** What {@linkcode packed} made of a text with gzip, as bytes of the text. */
export const unpacked = async (bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> =>
  Uint8Array.from(await unpack(bytes));

export const packedHeaders = (encoding: Encoding) =>
  [["content-encoding", encoding], ["vary", "accept-encoding"]] as const;

/** A page on its way out. gzip: a page is made anew each time, and brotli at its best is slow. */
export async function compressed({ raw }: RequestState, reply: Reply): Promise<Reply> {
  const { body, headers = [] } = reply;
  if (typeof body !== "string" || body.length < WORTH_IT) return reply;
  const isTaken = takesEncoding(raw.headers.get("accept-encoding"), "gzip");
  if (!isTaken) return { ...reply, headers: [...headers, ["vary", "accept-encoding"]] };
  const bytes = await packed(body, "gzip");
  return { ...reply, body: bytes, headers: [...headers, ...packedHeaders("gzip")] };
}

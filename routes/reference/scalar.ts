import { brotliDecompressSync } from "node:zlib";
import { Problem } from "@/lib/problems.ts";
import type * as system from "@/openapi/paths/system.ts";
import type { HandlerOf, PageHandler } from "../handler.ts";
import { takesEncoding } from "../compression.ts";
import { serveFile, staticFile } from "../system/file.ts";

const FOLDER = new URL("../../openapi/reference/", import.meta.url);
const SCRIPT = "text/javascript; charset=utf-8";
const PAGE = "text/html; charset=utf-8";
const BY_ENCODING = ["vary", "accept-encoding"] as const;
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; object-src 'none'; " +
  "base-uri 'none'; frame-ancestors 'none'";

const read = (name: string) => Deno.readFile(new URL(name, FOLDER));

const page = once(async () =>
  staticFile(PAGE, await read("page.html"), [["content-security-policy", POLICY]])
);
const init = once(async () => staticFile(SCRIPT, await read("init.js")));
const packed = once(async () =>
  staticFile(SCRIPT, await read("scalar.js.br"), [["content-encoding", "br"], BY_ENCODING])
);
/** For the few clients that take no brotli. */
const unpacked = once(async () =>
  staticFile(SCRIPT, Uint8Array.from(brotliDecompressSync(await read("scalar.js.br"))), [
    BY_ENCODING,
  ])
);

/** The page of Scalar, which has every language and a client, and takes seconds to appear. */
export const handleGetFullReference: PageHandler<null> = async (c) =>
  serveFile(await page(), c.req.header("if-none-match") ?? null);

export const handleGetReferenceScript: HandlerOf<typeof system.getReferenceScript> = async (c) => {
  const params = c.req.valid("param");
  const tag = c.req.header("if-none-match") ?? null;
  switch (params.file) {
    case "init.js":
      return serveFile(await init(), tag);
    case "scalar.js": {
      const takesBrotli = takesEncoding(c.req.header("accept-encoding") ?? null, "br");
      return serveFile(await (takesBrotli ? packed() : unpacked()), tag);
    }
    default:
      throw new Problem("ROUTE_NOT_FOUND");
  }
};

/** Files are read when the first asks for them, and kept. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => made ??= make();
}

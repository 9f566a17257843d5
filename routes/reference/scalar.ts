import { brotliDecompressSync } from "node:zlib";
import { Problem } from "@/lib/problems.ts";
import type * as system from "@/openapi/paths/system.ts";
import type { HandlerOf, PageHandler } from "../handler.ts";
import { acceptsEncoding } from "../compression.ts";
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

const page = lazily(async () =>
  staticFile(PAGE, await read("page.html"), [["content-security-policy", POLICY]])
);
const init = lazily(async () => staticFile(SCRIPT, await read("init.js")));
const compressedScript = lazily(async () =>
  staticFile(SCRIPT, await read("scalar.js.br"), [["content-encoding", "br"], BY_ENCODING])
);
/** Script for the few clients that do not accept brotli. */
const decompressedScript = lazily(async () =>
  staticFile(SCRIPT, Uint8Array.from(brotliDecompressSync(await read("scalar.js.br"))), [
    BY_ENCODING,
  ])
);

/** Serves the page of Scalar, which has more languages and takes seconds to load. */
export const handleGetFullReference: PageHandler<null> = async (c) =>
  serveFile(await page(), c.req.header("if-none-match") ?? null);

export const handleGetReferenceScript: HandlerOf<typeof system.getReferenceScript> = async (c) => {
  const params = c.req.valid("param");
  const tag = c.req.header("if-none-match") ?? null;
  switch (params.file) {
    case "init.js":
      return serveFile(await init(), tag);
    case "scalar.js": {
      const takesBrotli = acceptsEncoding(c.req.header("accept-encoding") ?? null, "br");
      return serveFile(await (takesBrotli ? compressedScript() : decompressedScript()), tag);
    }
    default:
      throw new Problem("ROUTE_NOT_FOUND");
  }
};

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => result ??= make();
}

import { sha256 } from "@/lib/crypto/hashes.ts";
import { Problem } from "@/lib/problems.ts";
import { acceptsEncoding, compressText, encodingHeaders } from "./compression.ts";
import type { PageHandler } from "./handler.ts";

const TYPES = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
} as const;

/** A file that pages load. Its name contains a hash of its text. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

/** Returns a function that creates the assets of a folder. @param folder With slashes around. */
export const assetsOf =
  (folder: string) => (name: string, kind: keyof typeof TYPES, text: string): Asset => ({
    path: `${folder}${name}-${sha256(text).slice(0, 12)}.${kind}`,
    type: TYPES[kind],
    text,
  });

/** Serves assets that browsers keep forever, each compressed by the first request for it. */
export function serveAssets(folder: string, assets: readonly Asset[]): PageHandler<null, "file"> {
  const byPath = new Map(assets.map((one) => [one.path, one]));
  const compressedAssets = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  return async (c) => {
    const asset = byPath.get(folder + c.req.valid("param").file);
    if (asset === undefined) throw new Problem("ROUTE_NOT_FOUND");
    const { path, type, text } = asset;
    const headers = [
      ["cache-control", "public, max-age=31536000, immutable"],
      ["x-content-type-options", "nosniff"],
    ] as const;
    if (!acceptsEncoding(c.req.header("accept-encoding") ?? null, "br")) {
      return { status: 200, body: text, type, headers };
    }
    let bytes = compressedAssets.get(path);
    if (bytes === undefined) compressedAssets.set(path, bytes = compressText(text, "br"));
    return {
      status: 200,
      body: await bytes,
      type,
      headers: [...headers, ...encodingHeaders("br")],
    };
  };
}

import { sha256 } from "@/lib/crypto/hashes.ts";
import { Problem } from "@/lib/problems.ts";
import { packed, packedHeaders, takesEncoding } from "./compression.ts";
import type { PageHandler } from "./handler.ts";

const TYPES = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
} as const;

/** A file that pages load, under a name that changes with what is in it. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

/** Makes the assets of a folder. @param folder With slashes around. */
export const assetsOf =
  (folder: string) => (name: string, kind: keyof typeof TYPES, text: string): Asset => ({
    path: `${folder}${name}-${sha256(text).slice(0, 12)}.${kind}`,
    type: TYPES[kind],
    text,
  });

/** Serves these assets, each packed once, when the first asks for it, and kept by browsers for good. */
export function serveAssets(folder: string, assets: readonly Asset[]): PageHandler<null, "file"> {
  const byPath = new Map(assets.map((one) => [one.path, one]));
  const packedAssets = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  return async (c) => {
    const found = byPath.get(folder + c.req.valid("param").file);
    if (found === undefined) throw new Problem("ROUTE_NOT_FOUND");
    const { path, type, text } = found;
    const headers = [
      ["cache-control", "public, max-age=31536000, immutable"],
      ["x-content-type-options", "nosniff"],
    ] as const;
    if (!takesEncoding(c.req.header("accept-encoding") ?? null, "br")) {
      return { status: 200, body: text, type, headers };
    }
    let bytes = packedAssets.get(path);
    if (bytes === undefined) packedAssets.set(path, bytes = packed(text, "br"));
    return { status: 200, body: await bytes, type, headers: [...headers, ...packedHeaders("br")] };
  };
}

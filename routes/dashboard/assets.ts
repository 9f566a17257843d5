import pico from "@picocss/pico/css/pico.min.css" with { type: "text" };
import tus from "tus-js-client/dist/tus.min.js" with { type: "text" };
import htmx from "htmx.org/dist/htmx.min.js" with { type: "text" };
import { sha256 } from "@/lib/crypto/hashes.ts";
import { Problem } from "@/lib/problems.ts";
import type { PageHandler } from "../handler.ts";
import { packed, packedHeaders, takesEncoding } from "../compression.ts";
import base from "./assets/base.css" with { type: "text" };
import owners from "./assets/owners.css" with { type: "text" };
import collections from "./assets/collections.css" with { type: "text" };
import code from "./assets/code.js" with { type: "text" };
import copy from "./assets/copy.js" with { type: "text" };
import fileDrop from "./assets/file_drop.js" with { type: "text" };
import files from "./assets/files.css" with { type: "text" };
import designer from "./assets/designer.js" with { type: "text" };
import documentsStyle from "./assets/documents.css" with { type: "text" };
import documents from "./assets/documents.js" with { type: "text" };
import liveChanges from "./assets/live_changes.js" with { type: "text" };
import mailPreview from "./assets/mail_preview.js" with { type: "text" };
import links from "./assets/links.js" with { type: "text" };
import times from "./assets/times.js" with { type: "text" };

const FOLDER = "/dashboard/assets/";
const TYPES = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
} as const;

/** A file that pages load, under a name that changes with what is in it. */
interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

function asset(name: string, kind: keyof typeof TYPES, text: string): Asset {
  return { path: `${FOLDER}${name}-${sha256(text).slice(0, 12)}.${kind}`, type: TYPES[kind], text };
}

/** In the order in which they count. */
export const STYLES: readonly Asset[] = [
  asset("pico", "css", pico),
  asset("base", "css", base),
  asset("files", "css", files),
  asset("owners", "css", owners),
  asset("collections", "css", collections),
  asset("documents", "css", documentsStyle),
];

/** Every page has all of them: what htmx puts in its place brings no scripts of its own. */
export const SCRIPTS: readonly Asset[] = [
  asset("htmx", "js", htmx),
  asset("links", "js", links),
  asset("times", "js", times),
  asset("copy", "js", copy),
  asset("code", "js", code),
  asset("file_drop", "js", fileDrop),
  asset("designer", "js", designer),
  asset("mail_preview", "js", mailPreview),
  asset("documents", "js", documents),
  asset("live_changes", "js", liveChanges),
];

/** Loaded by the first file that is dropped: no other page needs it. */
export const TUS: Asset = asset("tus", "js", tus);

export const ICON: Asset = asset(
  "icon",
  "svg",
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#0f6b5c">' +
    '<path d="M2 1h12v3h-2a8 8 0 0 1-8 8H2z"/></svg>',
);

const byPath = new Map([...STYLES, ...SCRIPTS, TUS, ICON].map((one) => [one.path, one]));

/** Packed once each, when the first asks for it. */
const packedAssets = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

export const serveAsset: PageHandler<null, "file"> = async (c) => {
  const found = byPath.get(FOLDER + c.req.valid("param").file);
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

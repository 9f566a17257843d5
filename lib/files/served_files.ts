import { createReadThrough } from "../cache.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../runtime/config.ts";
import { disposition } from "../http/disposition.ts";
import { isInUse } from "../projects/projects.ts";
import type { Engine, Id } from "../store/port.ts";
import { dangerOf, isShown, servedTypeOf } from "./active_types.ts";
import { type Blobs, CACHE_CONTROL, type FilePlace } from "./blobs.ts";
import { fileEtag, projectOf } from "./paths.ts";
import { INTERNAL } from "./stores.ts";
import { findUpload, placeOf, type UploadRecord } from "./uploads.ts";

/** A confirmed file of our own store, as it is served. */
export interface ServedFile {
  readonly bytes: number;
  readonly contentType: string;
  /** Strong: what lies at a path never changes. */
  readonly etag: string;
  /** What every answer about it says beside, names in lower case. */
  readonly headers: readonly (readonly [string, string])[];
}

/**
 * Finds what may be served. What was found is remembered, so whoever serves it must also look
 * whether its object is there still: that of a removed file is gone for every process at once.
 */
export interface ServedFiles {
  /**
   * Null for every path but that of a confirmed file that lies in the place.
   * @param host What the request was sent to, with its port; null if it does not say.
   */
  find(place: FilePlace, path: string, host: string | null): Promise<ServedFile | null>;
  /** Drops what is remembered of a project; other processes notice within `CACHE_MS`. */
  forget(projectId: Id): void;
}

const FILES_KEPT = 20_000;

/** How a file is served at a host of the files' own, and at the dashboard's. */
interface ServedAt {
  readonly own: ServedFile;
  readonly shared: ServedFile;
}

export function createServedFiles(
  engine: Engine,
  clock: Clock,
  blobs: Blobs,
  { publicUrl, filesUrl }: Pick<Config, "publicUrl" | "filesUrl">,
): ServedFiles {
  const files = new URL(filesUrl);
  // Cookies know no ports: another port is no host of its own.
  const ownHost = files.hostname === new URL(publicUrl).hostname ? null : files.host;
  const known = createReadThrough<ServedAt>({ clock, max: FILES_KEPT }, async (key) => {
    const { place, path } = readKey(key);
    const projectId = projectOf(path);
    if (projectId === null) return null;
    // Anybody may ask for anything: the database hears of what is there, and of projects that are.
    if (await blobs.stat(place, path) === null) return null;
    if (!await isInUse({ engine }, projectId)) return null;
    const row = await findUpload({ engine }, projectId, path);
    if (row?.state !== "confirmed" || row.target !== INTERNAL) return null;
    if (placeOf(row) !== place) return null;
    return { own: servedAs(row, false), shared: servedAs(row, true) };
  });
  return {
    async find(place, path, host) {
      const file = await known.get(`${place}/${path}`);
      return file && (ownHost !== null && host === ownHost ? file.own : file.shared);
    },
    forget: (projectId) => known.forget((key) => projectOf(readKey(key).path) === projectId),
  };
}

/** What somebody asks for may have any sign in it. */
const readKey = (key: string): { place: FilePlace; path: string } => {
  const at = key.indexOf("/");
  return { place: key.slice(0, at) as FilePlace, path: key.slice(at + 1) };
};

const OPAQUE = "application/octet-stream";

/** A page of ours: images and styles of its own, but no script, no form and nothing of the host's. */
const SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/**
 * Whoever is let in to look at a file can do nothing on its host by it. Its type is its uploader's
 * word: what a page would run goes without it, what would be a page is not opened.
 */
function servedAs(row: UploadRecord, sharesHost: boolean): ServedFile {
  const { path, filename, bytes } = row;
  const named = servedTypeOf(row.contentType);
  const type = dangerOf(named) === "runs" ? OPAQUE : named;
  const shown = isShown(type, sharesHost);
  const etag = fileEtag(path);
  return {
    bytes,
    contentType: type,
    etag,
    headers: [
      ["etag", etag],
      ["accept-ranges", "bytes"],
      ["cache-control", CACHE_CONTROL[placeOf(row)]],
      ["content-disposition", disposition(shown ? "inline" : "attachment", filename)],
      ["x-content-type-options", "nosniff"],
      ["cross-origin-resource-policy", "cross-origin"],
      ...shown ? [] : [["content-security-policy", SANDBOX] as const],
    ],
  };
}

import { createReadThrough } from "../cache.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../runtime/config.ts";
import { contentDisposition } from "../http/disposition.ts";
import { isInUse } from "../projects/projects.ts";
import type { Engine, Id } from "../store/port.ts";
import { dangerOf, isShownInline, servedTypeOf } from "./active_types.ts";
import { type Blobs, CACHE_CONTROL, type FilePlace } from "./blobs.ts";
import { fileEtag, projectIdOf } from "./paths.ts";
import { INTERNAL_TARGET } from "./stores.ts";
import { filePlaceOf, findUpload, type UploadRecord } from "./uploads.ts";

export interface ServedFile {
  readonly bytes: number;
  readonly contentType: string;
  readonly etag: string;
  /** Further headers of every response, with names in lower case. */
  readonly headers: readonly (readonly [string, string])[];
}

/** Caches files, so the caller must check that the object still exists. */
export interface ServedFiles {
  /** Returns null if no confirmed file is there. `host` is the `Host` header, null if missing. */
  find(place: FilePlace, path: string, host: string | null): Promise<ServedFile | null>;
  /** Drops the cached files of a project. Other processes notice a change within `CACHE_MS`. */
  forget(projectId: Id): void;
}

const FILES_CACHED_MAX = 20_000;

/** Response headers of a file, for a separate files host and for the dashboard's own host. */
interface HostVariants {
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
  // Cookies are shared between ports, so another port of the same host is not a separate host.
  const ownHost = files.hostname === new URL(publicUrl).hostname ? null : files.host;
  const cache = createReadThrough<HostVariants>({ clock, max: FILES_CACHED_MAX }, async (key) => {
    const { place, path } = readKey(key);
    const projectId = projectIdOf(path);
    if (projectId === null) return null;
    // Check the store first, so that requests for arbitrary paths do not reach the database.
    if (await blobs.stat(place, path) === null) return null;
    if (!await isInUse({ engine }, projectId)) return null;
    const row = await findUpload({ engine }, projectId, path);
    if (row?.state !== "confirmed" || row.target !== INTERNAL_TARGET) return null;
    if (filePlaceOf(row) !== place) return null;
    return { own: toServedFile(row, false), shared: toServedFile(row, true) };
  });
  return {
    async find(place, path, host) {
      const file = await cache.get(`${place}/${path}`);
      return file && (ownHost !== null && host === ownHost ? file.own : file.shared);
    },
    forget: (projectId) => cache.invalidate((key) => projectIdOf(readKey(key).path) === projectId),
  };
}

/** Splits a cache key. The path comes from the request, so it may contain any character. */
const readKey = (key: string): { place: FilePlace; path: string } => {
  const at = key.indexOf("/");
  return { place: key.slice(0, at) as FilePlace, path: key.slice(at + 1) };
};

const OPAQUE = "application/octet-stream";

/** Policy of files that are not shown inline: inline styles, but no scripts, forms or requests. */
const SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** The uploader chose the type, so types that run become binary data and pages attachments. */
function toServedFile(row: UploadRecord, sharesHost: boolean): ServedFile {
  const { path, filename, bytes } = row;
  const named = servedTypeOf(row.contentType);
  const type = dangerOf(named) === "runs" ? OPAQUE : named;
  const isInline = isShownInline(type, sharesHost);
  const etag = fileEtag(path);
  return {
    bytes,
    contentType: type,
    etag,
    headers: [
      ["etag", etag],
      ["accept-ranges", "bytes"],
      ["cache-control", CACHE_CONTROL[filePlaceOf(row)]],
      ["content-disposition", contentDisposition(isInline ? "inline" : "attachment", filename)],
      ["x-content-type-options", "nosniff"],
      ["cross-origin-resource-policy", "cross-origin"],
      ...isInline ? [] : [["content-security-policy", SANDBOX] as const],
    ],
  };
}

import { UPLOAD_HOLD_MS } from "../limits.ts";
import { isInUse } from "../projects/projects.ts";
import { and, within } from "../store/filter.ts";
import type { Id } from "../store/port.ts";
import type { Blobs, ListedBlob } from "./blobs.ts";
import { isPiecesPath, projectIdOf, uploadOf } from "./paths.ts";
import type { FileServices } from "./removals.ts";
import { type UploadRecord, UPLOADS } from "./uploads.ts";
import { walkBlobPages } from "./walk.ts";

/**
 * Removes staged objects and pieces of uploads that are over, and partial objects that have not
 * grown for long. Returns how many. Keeps objects of unknown projects, which may belong to another
 * program, and of projects in the trash. @param prefix See {@linkcode Blobs.list}.
 */
export async function sweep(
  services: FileServices,
  blobs: Blobs,
  prefix: string,
  stopped: () => boolean = () => false,
): Promise<number> {
  let swept = await sweepAbandoned(services, blobs, { place: "staged", prefix, stopped });
  const staleBefore = services.clock.now() - UPLOAD_HOLD_MS;
  for await (const page of walkBlobPages(blobs, "partial", prefix, stopped)) {
    const pieces = page.filter(({ path }) => isPiecesPath(path));
    swept += await removeAbandoned(services, blobs, { place: "partial", page: pieces, stopped });
    for (const { path, writtenAt } of page) {
      if (stopped()) return swept;
      if (writtenAt > staleBefore || isPiecesPath(path)) continue;
      await blobs.remove("partial", path);
      swept++;
    }
  }
  return swept;
}

/** Removes objects, of any age, whose upload is over. Returns how many were removed. */
export async function sweepAbandoned(
  services: FileServices,
  blobs: Blobs,
  { place, prefix, stopped = () => false }: {
    place: "staged" | "partial";
    prefix: string;
    stopped?: () => boolean;
  },
): Promise<number> {
  let swept = 0;
  for await (const page of walkBlobPages(blobs, place, prefix, stopped)) {
    swept += await removeAbandoned(services, blobs, { place, page, stopped });
  }
  return swept;
}

async function removeAbandoned(
  services: FileServices,
  blobs: Blobs,
  { place, page, stopped }: {
    place: "staged" | "partial";
    page: readonly ListedBlob[];
    stopped: () => boolean;
  },
): Promise<number> {
  let removed = 0;
  const pathOf = place === "staged" ? (path: string) => path : uploadOf;
  for (const [projectId, found] of Map.groupBy(page, ({ path }) => projectIdOf(pathOf(path)))) {
    if (projectId === null || !await isInUse(services, projectId)) continue;
    const paths = found.map(({ path }) => path);
    const openPaths = await findOpenPaths(services, projectId, paths.map(pathOf));
    for (const path of paths.filter((path) => !openPaths.has(pathOf(path)))) {
      if (stopped()) return removed;
      await blobs.remove(place, path);
      removed++;
    }
  }
  return removed;
}

/** Returns the paths of open uploads. Call it after listing: a closed one never opens again. */
async function findOpenPaths(
  { engine }: FileServices,
  projectId: Id,
  paths: readonly string[],
): Promise<Set<string>> {
  const found = engine.records<UploadRecord>(projectId, UPLOADS).find({
    filter: and(
      within("path", paths),
      within("state", ["requested", "copying"]),
    ),
  });
  return new Set(await Array.fromAsync(found, ({ path }) => path));
}

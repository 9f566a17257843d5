import { UPLOAD_HOLD_MS } from "../limits.ts";
import { isInUse } from "../projects/projects.ts";
import { and, within } from "../store/filter.ts";
import type { Id } from "../store/port.ts";
import type { Blobs } from "./blobs.ts";
import { isPiecesPath, projectOf, uploadOf } from "./paths.ts";
import type { FileServices } from "./removals.ts";
import { type UploadRecord, UPLOADS } from "./uploads.ts";
import { walkBlobPages } from "./walk.ts";

/**
 * Removes what uploads left behind: staged objects that no confirm will take, as a PUT leaves them
 * that ends after its upload is over, pieces of those, and partial objects that grow no more.
 * Resolves to how many.
 * @param prefix As in {@linkcode Blobs.list}. Objects of unknown projects may be somebody else's,
 * and stay, as do those of projects in the trash.
 */
export async function sweep(
  services: FileServices,
  blobs: Blobs,
  prefix: string,
  stopped: () => boolean = () => false,
): Promise<number> {
  let swept = 0;
  for (const place of ["staged", "partial"] as const) {
    const which = place === "staged" ? () => true : isPiecesPath;
    swept += await sweepUnawaited(services, blobs, { place, prefix, which, stopped });
    if (stopped()) return swept;
  }
  const growsNoMore = services.clock.now() - UPLOAD_HOLD_MS;
  for await (const page of walkBlobPages(blobs, "partial", prefix)) {
    for (const { path, writtenAt } of page) {
      if (writtenAt > growsNoMore || isPiecesPath(path)) continue;
      await blobs.remove("partial", path);
      swept++;
      if (stopped()) return swept;
    }
    if (stopped()) return swept;
  }
  return swept;
}

/** Objects of a place, whatever their age, of uploads that no confirm will take. */
export async function sweepUnawaited(
  services: FileServices,
  blobs: Blobs,
  { place, prefix, which = () => true, stopped = () => false }: {
    place: "staged" | "partial";
    prefix: string;
    which?: (path: string) => boolean;
    stopped?: () => boolean;
  },
): Promise<number> {
  let swept = 0;
  const pathOf = place === "staged" ? (path: string) => path : uploadOf;
  for await (const page of walkBlobPages(blobs, place, prefix)) {
    if (stopped()) return swept;
    const wanted = page.map(({ path }) => path).filter(which);
    for (const [projectId, paths] of Map.groupBy(wanted, (path) => projectOf(pathOf(path)))) {
      if (projectId === null || !await isInUse(services, projectId)) continue;
      const awaited = await awaitedPaths(services, projectId, paths.map(pathOf));
      for (const path of paths.filter((path) => !awaited.has(pathOf(path)))) {
        if (stopped()) return swept;
        await blobs.remove(place, path);
        swept++;
      }
    }
  }
  return swept;
}

/**
 * Those that a confirm may take. They are looked up after they were listed: a row that is missing
 * or confirmed by then never waits again.
 */
async function awaitedPaths(
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

import { UPLOAD_HOLD_MS } from "../limits.ts";
import { isInUse } from "../projects/projects.ts";
import { and, within } from "../store/filter.ts";
import type { Id } from "../store/port.ts";
import type { Blobs, ListedBlob } from "./blobs.ts";
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
  let swept = await sweepUnawaited(services, blobs, { place: "staged", prefix, stopped });
  const growsNoMore = services.clock.now() - UPLOAD_HOLD_MS;
  for await (const page of walkBlobPages(blobs, "partial", prefix, stopped)) {
    const pieces = page.filter(({ path }) => isPiecesPath(path));
    swept += await removeUnawaited(services, blobs, { place: "partial", page: pieces, stopped });
    for (const { path, writtenAt } of page) {
      if (stopped()) return swept;
      if (writtenAt > growsNoMore || isPiecesPath(path)) continue;
      await blobs.remove("partial", path);
      swept++;
    }
  }
  return swept;
}

/** Objects of a place, whatever their age, of uploads that no confirm will take. */
export async function sweepUnawaited(
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
    swept += await removeUnawaited(services, blobs, { place, page, stopped });
  }
  return swept;
}

async function removeUnawaited(
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
  for (const [projectId, found] of Map.groupBy(page, ({ path }) => projectOf(pathOf(path)))) {
    if (projectId === null || !await isInUse(services, projectId)) continue;
    const paths = found.map(({ path }) => path);
    const awaited = await awaitedPaths(services, projectId, paths.map(pathOf));
    for (const path of paths.filter((path) => !awaited.has(pathOf(path)))) {
      if (stopped()) return removed;
      await blobs.remove(place, path);
      removed++;
    }
  }
  return removed;
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

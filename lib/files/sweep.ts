import { UPLOAD_HOLD_MS } from "../limits.ts";
import { type ProjectRecord, PROJECTS } from "../projects/records.ts";
import { and, within } from "../store/filter.ts";
import { parseJson } from "../store/json_text.ts";
import type { Id } from "../store/port.ts";
import type { Blobs, ListedBlob } from "./blobs.ts";
import { projectOf } from "./paths.ts";
import type { FileServices } from "./removals.ts";
import { type UploadRecord, UPLOADS } from "./uploads.ts";
import { walkBlobPages, walkBlobs } from "./walk.ts";

/**
 * Removes what uploads left behind: staged objects that no confirm will take, as a PUT leaves them
 * that ends after its upload is over, and partial ones that grow no more. Resolves to how many.
 * @param prefix As in {@linkcode Blobs.list}. Objects of unknown projects may be somebody else's
 * and stay.
 */
export async function sweep(
  services: FileServices,
  blobs: Blobs,
  prefix: string,
  stopped: () => boolean = () => false,
): Promise<number> {
  let swept = 0;
  for await (const page of walkBlobPages(blobs, "staged", prefix)) {
    if (stopped()) return swept;
    for (const [projectId, staged] of Map.groupBy(page, ({ path }) => projectOf(path))) {
      if (projectId === null || !await isKnown(services, projectId)) continue;
      const awaited = await awaitedPaths(services, projectId, staged);
      for (const { path } of staged.filter(({ path }) => !awaited.has(path))) {
        if (stopped()) return swept;
        await blobs.remove("staged", path);
        swept++;
      }
    }
  }
  const growsNoMore = services.clock.now() - UPLOAD_HOLD_MS;
  for await (const { path, writtenAt } of walkBlobs(blobs, "partial", prefix)) {
    if (writtenAt > growsNoMore) continue;
    await blobs.remove("partial", path);
    swept++;
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
  staged: readonly ListedBlob[],
): Promise<Set<string>> {
  const page = await engine.records<UploadRecord>(projectId, UPLOADS).list({
    filter: and(
      within("path", staged.map(({ path }) => path)),
      within("state", ["requested", "copying"]),
    ),
    sort: [],
    limit: staged.length,
  });
  return new Set((parseJson(`[${page.items}]`) as UploadRecord[]).map(({ path }) => path));
}

async function isKnown({ engine }: FileServices, projectId: Id): Promise<boolean> {
  const projects = engine.records<ProjectRecord>("control", PROJECTS);
  return await projects.get(projectId) !== null;
}

import { Problem } from "../problems.ts";
import { and, eq, not } from "../store/filter.ts";
import { type FileInfo, infoOf } from "./list_files.ts";
import { removeObjects } from "./ledger.ts";
import { enqueueRemovals, type FileServices, removeLeftover } from "./removals.ts";
import {
  type FileScope,
  findInScope,
  findUpload,
  placeOf,
  type UploadRecord,
  UPLOADS,
  type Visibility,
  visibilityOf,
} from "./uploads.ts";

/**
 * Moves a confirmed file to where everybody reads it, or nobody without a signed address. Its object
 * is copied first and removed from its former place behind the change of the row, by the queue: a
 * process that is killed between leaves a copy, and never a row without its object. Throws
 * `FILE_NOT_FOUND`, and `UPLOAD_NOT_READY` where others move it back and forth.
 */
export async function changeVisibility(
  services: FileServices,
  scope: FileScope,
  { path, visibility }: { readonly path: string; readonly visibility: Visibility },
): Promise<FileInfo> {
  const { projectId } = scope;
  const row = await findInScope(services, scope, path);
  if (row?.state !== "confirmed") throw new Problem("FILE_NOT_FOUND");
  if (visibilityOf(row) === visibility) return await infoOf(services, projectId, row);
  const moved = { ...row, visibility };
  const blobs = await services.blobStores.named(projectId, row.target);
  const copied = await blobs.copy(path, row.contentType, placeOf(moved));
  if (copied === null) throw new Problem("FILE_NOT_FOUND");
  const removals = await services.engine.transaction(projectId, async (tx) => {
    const its = and(eq("path", path), eq("state", "confirmed"), not(eq("visibility", visibility)));
    const changed = await tx.records<UploadRecord>(UPLOADS)
      .updateOne(its, { set: { visibility } });
    return changed === null ? null : await enqueueRemovals(tx, services, [row]);
  });
  if (removals === null) {
    // Whoever removed the row could not know of the copy.
    if (await findUpload(services, projectId, path) === null) {
      await removeLeftover(services, projectId, row);
    }
    throw new Problem("UPLOAD_NOT_READY", {
      message: "The file was moved or deleted in this moment: look at it again.",
      retryAfter: 1,
    });
  }
  await removeObjects(services, projectId, { rows: [], removals });
  return await infoOf(services, projectId, moved);
}

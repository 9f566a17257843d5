import { Problem } from "../problems.ts";
import { and, eq, not } from "../store/filter.ts";
import { type FileInfo, fileInfoOf } from "./list_files.ts";
import { removeObjects } from "./ledger.ts";
import { enqueueRemovals, type FileServices, removeLeftover } from "./removals.ts";
import {
  filePlaceOf,
  type FileScope,
  findInScope,
  findUpload,
  type UploadRecord,
  UPLOADS,
  type Visibility,
  visibilityOf,
} from "./uploads.ts";

/**
 * Makes a confirmed file public or private. Copies the object first, so that no row lacks its
 * object. Throws `FILE_NOT_FOUND`, and `UPLOAD_NOT_READY` if another process changes the file.
 */
export async function changeVisibility(
  services: FileServices,
  scope: FileScope,
  { path, visibility }: { readonly path: string; readonly visibility: Visibility },
): Promise<FileInfo> {
  const { projectId } = scope;
  const row = await findInScope(services, scope, path);
  if (row?.state !== "confirmed") throw new Problem("FILE_NOT_FOUND");
  if (visibilityOf(row) === visibility) return await fileInfoOf(services, projectId, row);
  const moved = { ...row, visibility };
  const blobs = await services.blobStores.blobsOf(projectId, row.target);
  const copied = await blobs.copy(path, row.contentType, filePlaceOf(moved));
  if (copied === null) throw new Problem("FILE_NOT_FOUND");
  const removals = await services.engine.transaction(projectId, async (tx) => {
    const isUnmoved = and(
      eq("path", path),
      eq("state", "confirmed"),
      not(eq("visibility", visibility)),
    );
    const changed = await tx.records<UploadRecord>(UPLOADS)
      .updateOne(isUnmoved, { set: { visibility } });
    return changed === null ? null : await enqueueRemovals(tx, services, [row]);
  });
  if (removals === null) {
    // If the row was removed, its removal did not include the copy.
    if (await findUpload(services, projectId, path) === null) {
      await removeLeftover(services, projectId, row);
    }
    throw new Problem("UPLOAD_NOT_READY", {
      message: "The file was moved or deleted at the same time: look at it again.",
      retryAfter: 1,
    });
  }
  await removeObjects(services, projectId, { rows: [], removals });
  return await fileInfoOf(services, projectId, moved);
}

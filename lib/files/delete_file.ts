import { timestamp } from "../clock.ts";
import { Problem } from "../problems.ts";
import { and, eq, or } from "../store/filter.ts";
import { isOver, removeObjects, removeRow, unclaimed, unexpired } from "./ledger.ts";
import type { FileServices } from "./removals.ts";
import { type FileScope, findInScope, inScope } from "./uploads.ts";

/**
 * Removes a file and returns its space, or cancels an upload. An object that cannot be removed now
 * is tried again by the reaper. Throws `FILE_NOT_FOUND`, and `UPLOAD_NOT_READY` while a confirm is
 * at work.
 */
export async function deleteFile(
  services: FileServices,
  scope: FileScope,
  path: string,
): Promise<void> {
  const { projectId } = scope;
  const { clock } = services;
  const mine = and(
    eq("path", path),
    inScope(scope),
    or(eq("state", "confirmed"), and(unexpired(clock), unclaimed(clock))),
  );
  const removed = await removeRow(services, projectId, mine);
  if (removed.rows.length === 0) {
    const row = await findInScope(services, scope, path);
    if (row === null || isOver(row, timestamp(clock))) throw new Problem("FILE_NOT_FOUND");
    throw new Problem("UPLOAD_NOT_READY", {
      message: "A confirm of this upload is at work: try again in a moment.",
      retryAfter: 1,
    });
  }
  await removeObjects(services, projectId, removed);
}

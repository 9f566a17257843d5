import { timestamp } from "../clock.ts";
import { Problem } from "../problems.ts";
import { and, eq, or } from "../store/filter.ts";
import { isExpired, removeObjects, removeRow, unclaimed, unexpired } from "./ledger.ts";
import type { FileServices } from "./removals.ts";
import { type FileScope, findInScope, inScope } from "./uploads.ts";

/** Also cancels uploads. Throws `FILE_NOT_FOUND`, and `UPLOAD_NOT_READY` during a confirm. */
export async function deleteFile(
  services: FileServices,
  scope: FileScope,
  path: string,
): Promise<void> {
  const { projectId } = scope;
  const { clock } = services;
  const isDeletable = and(
    eq("path", path),
    inScope(scope),
    or(eq("state", "confirmed"), and(unexpired(clock), unclaimed(clock))),
  );
  const removed = await removeRow(services, projectId, isDeletable);
  if (removed.rows.length === 0) {
    const row = await findInScope(services, scope, path);
    if (row === null || isExpired(row, timestamp(clock))) throw new Problem("FILE_NOT_FOUND");
    throw new Problem("UPLOAD_NOT_READY", {
      message: "This upload is being confirmed: try again in a moment.",
      retryAfter: 1,
    });
  }
  await removeObjects(services, projectId, removed);
}

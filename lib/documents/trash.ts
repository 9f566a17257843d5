import type { Clock } from "../clock.ts";
import { TRASH_MS } from "../limits.ts";
import { QueryTooSlow } from "../store/errors.ts";
import { deleteAll } from "../store/expiry.ts";
import { and, compare, eq, within } from "../store/filter.ts";
import { pagesOf } from "../store/pages.ts";
import type { Filter, Records } from "../store/port.ts";
import type { StoredDocument } from "./collection.ts";

const oldestRecoverable = (clock: Clock): string => new Date(clock.now() - TRASH_MS).toISOString();

export const recoverableFilter = (clock: Clock): Filter =>
  and(eq("isDeleted", true), compare("deletedAt", "gte", oldestRecoverable(clock)));

const PURGE_BATCH_MAX = 100;

/** Order of an index, so that each page continues where the previous ended. */
const OLDEST_FIRST = [{ path: "createdAt", descending: false }] as const;

/** Lets other requests go between batches. Several processes may purge concurrently. */
export async function purgeTrash(
  { clock }: { clock: Clock },
  records: Pick<Records<StoredDocument>, "list" | "deleteMany">,
): Promise<number> {
  const expired = and(eq("isDeleted", true), compare("deletedAt", "lt", oldestRecoverable(clock)));
  let removed = 0;
  try {
    // There is no index for expired documents; a list finds them without blocking other requests.
    const due = { filter: expired, sort: OLDEST_FIRST, limit: PURGE_BATCH_MAX };
    for await (const page of pagesOf(records, due)) {
      const ids = page.records().map(({ _id }) => _id);
      if (ids.length === 0) break;
      removed += await records.deleteMany(and(within("_id", ids), expired), ids.length);
    }
    return removed;
  } catch (error) {
    if (!(error instanceof QueryTooSlow)) throw error;
    return removed + await deleteAll(records, expired);
  }
}

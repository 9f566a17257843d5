import type { Clock } from "../clock.ts";
import { TRASH_MS } from "../limits.ts";
import { QueryTooSlow } from "../store/errors.ts";
import { deleteAll } from "../store/expiry.ts";
import { and, compare, eq, within } from "../store/filter.ts";
import { pagesOf } from "../store/pages.ts";
import type { Filter, Records } from "../store/port.ts";
import type { StoredDocument } from "./collection.ts";

const trashLimit = (clock: Clock): string => new Date(clock.now() - TRASH_MS).toISOString();

/** What is in the trash, and not for too long. */
export const recoverable = (clock: Clock): Filter =>
  and(eq("isDeleted", true), compare("deletedAt", "gte", trashLimit(clock)));

const PURGED_AT_ONCE = 100;

/** There is an index in this order, so a list goes on where it was. */
const OLDEST_FIRST = [{ path: "createdAt", descending: false }] as const;

/**
 * Removes what has been in the trash too long, in batches between which others get their turn.
 * Any number of processes may do so at once. Resolves to how many were removed.
 */
export async function purgeTrash(
  { clock }: { clock: Clock },
  records: Pick<Records<StoredDocument>, "list" | "deleteMany">,
): Promise<number> {
  const expired = and(eq("isDeleted", true), compare("deletedAt", "lt", trashLimit(clock)));
  let removed = 0;
  try {
    // No index tells what is due; a list looks for it without holding others up.
    const due = { filter: expired, sort: OLDEST_FIRST, limit: PURGED_AT_ONCE };
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

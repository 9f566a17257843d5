import { type Clock, timestamp } from "../clock.ts";
import { TRASH_MS } from "../limits.ts";
import { QueryTooSlow } from "../store/errors.ts";
import { deleteAll } from "../store/expiry.ts";
import { and, compare, eq, within } from "../store/filter.ts";
import { pagesOf } from "../store/pages.ts";
import type { Filter, Id, Records, Stored } from "../store/port.ts";
import { explainMissingWrite, ownerFilter, settled, type WriteAccess } from "./access.ts";
import type { StoredDocument } from "./collection.ts";
import { writing } from "./document.ts";
import { unchangedSince } from "./precondition.ts";
import { lostOrRefused } from "./write_document.ts";

export interface DeleteInput {
  readonly id: Id;
  /** Removes for good, from the trash too; the secret key's alone. */
  readonly permanent: boolean;
  readonly ifMatch: string | null;
}

/** To the trash, from which a document can be recovered for 30 days; or away for good. */
export const deleteDocument = (
  services: { readonly clock: Clock },
  target: WriteAccess,
  input: DeleteInput,
): Promise<void> => settled(target, (target) => deleteOnce(services, target, input));

async function deleteOnce(
  { clock }: { readonly clock: Clock },
  target: WriteAccess,
  { id, permanent, ifMatch }: DeleteInput,
): Promise<void> {
  const mine = and(eq("_id", id), permanent ? and() : eq("isDeleted", false), ownerFilter(target));
  let unchanged: Filter = and();
  if (ifMatch !== null) {
    const current = await target.records.findOne(mine);
    if (current === null) throw await explainMissingWrite(target, id, permanent);
    unchanged = unchangedSince(current, ifMatch);
  }
  const filter = and(mine, unchanged);
  const now = timestamp(clock);
  const gone = permanent
    ? await target.records.deleteOne(filter)
    : await target.records.updateOne(filter, {
      set: { isDeleted: true, deletedAt: now, updatedAt: now },
    });
  if (gone === null) {
    throw await lostOrRefused(target, { id, conditional: ifMatch !== null, inTrash: permanent });
  }
}

/** Out of the trash. A document that is not in it stays as it is. */
export const recoverDocument = (
  services: { readonly clock: Clock },
  target: WriteAccess,
  id: Id,
): Promise<Stored<StoredDocument>> =>
  settled(target, (target) => recoverOnce(services, target, id));

async function recoverOnce(
  { clock }: { readonly clock: Clock },
  target: WriteAccess,
  id: Id,
): Promise<Stored<StoredDocument>> {
  const mine = and(eq("_id", id), ownerFilter(target));
  const recovered = await writing(() =>
    target.records.updateOne(and(mine, recoverable(clock)), {
      set: { isDeleted: false, deletedAt: null, updatedAt: timestamp(clock) },
    })
  );
  const found = recovered ?? await target.records.findOne(and(mine, eq("isDeleted", false)));
  if (found === null) throw await explainMissingWrite(target, id, true);
  return found;
}

const trashLimit = (clock: Clock): string => new Date(clock.now() - TRASH_MS).toISOString();

const recoverable = (clock: Clock): Filter =>
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
  records: Records<StoredDocument>,
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

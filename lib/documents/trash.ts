import { type Clock, timestamp } from "../clock.ts";
import { TRASH_MS } from "../limits.ts";
import { deleteAll } from "../store/expiry.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Filter, Id, Records, Stored } from "../store/port.ts";
import { owned, refusal, type Writable } from "./access.ts";
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
export async function deleteDocument(
  { clock }: { clock: Clock },
  target: Writable,
  { id, permanent, ifMatch }: DeleteInput,
): Promise<void> {
  const mine = and(eq("_id", id), permanent ? and() : eq("isDeleted", false), owned(target));
  let unchanged: Filter = and();
  if (ifMatch !== null) {
    const current = await target.records.findOne(mine);
    if (current === null) throw await refusal(target, id, permanent);
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
export async function recoverDocument(
  { clock }: { clock: Clock },
  target: Writable,
  id: Id,
): Promise<Stored<StoredDocument>> {
  const mine = and(eq("_id", id), owned(target));
  const recovered = await writing(() =>
    target.records.updateOne(and(mine, recoverable(clock)), {
      set: { isDeleted: false, deletedAt: null, updatedAt: timestamp(clock) },
    })
  );
  const found = recovered ?? await target.records.findOne(and(mine, eq("isDeleted", false)));
  if (found === null) throw await refusal(target, id, true);
  return found;
}

const trashLimit = (clock: Clock): string => new Date(clock.now() - TRASH_MS).toISOString();

const recoverable = (clock: Clock): Filter =>
  and(eq("isDeleted", true), compare("deletedAt", "gte", trashLimit(clock)));

/**
 * Removes what has been in the trash too long, in batches between which others get their turn.
 * Any number of processes may do so at once. Resolves to how many were removed.
 */
export async function purgeTrash(
  { clock }: { clock: Clock },
  records: Records<StoredDocument>,
): Promise<number> {
  const expired = and(eq("isDeleted", true), compare("deletedAt", "lt", trashLimit(clock)));
  return await deleteAll(records, expired);
}

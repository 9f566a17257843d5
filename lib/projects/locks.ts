import { hashedId } from "../crypto/hashes.ts";
import { eq } from "../store/filter.ts";
import type { Definition, Engine, Id, Transaction } from "../store/port.ts";

/** Records that transactions update to exclude each other. Stored in the project's space. */
const LOCKS: Definition = {
  name: "_locks",
  fields: { taken: { type: "Number" } },
  indexes: [],
  trash: false,
};

export type Lock = "collections" | "kept answers" | "mails";

/** Creates the record of a lock, before a transaction takes the lock. */
export async function ensureLock(engine: Engine, projectId: Id, lock: Lock): Promise<void> {
  const records = engine.records(projectId, LOCKS);
  const _id = hashedId(lock);
  if (await records.get(_id) !== null) return;
  await records.upsert(eq("_id", _id), {}, { _id, taken: 0 });
}

/** Locks until the transaction ends, so that a count which it reads stays true. */
export async function takeLock(tx: Transaction, lock: Lock): Promise<void> {
  await tx.records(LOCKS).updateOne(eq("_id", hashedId(lock)), { increment: { taken: 1 } });
}

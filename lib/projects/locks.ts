import { hashedId } from "../crypto/hashes.ts";
import { eq } from "../store/filter.ts";
import type { Definition, Engine, Id, Transaction } from "../store/port.ts";

/** In each project's space: records that are there to be changed. */
const LOCKS: Definition = {
  name: "_locks",
  fields: { taken: { type: "Number" } },
  indexes: [],
  trash: false,
};

/** What transactions of a project wait for one another for. */
export type Lock = "collections" | "kept answers" | "mails";

/** Before a transaction that takes it. */
export async function ensureLock(engine: Engine, projectId: Id, lock: Lock): Promise<void> {
  const records = engine.records(projectId, LOCKS);
  const _id = hashedId(lock);
  if (await records.get(_id) !== null) return;
  await records.upsert(eq("_id", _id), {}, { _id, taken: 0 });
}

/** What a transaction counts after this still holds when it commits. */
export async function takeLock(tx: Transaction, lock: Lock): Promise<void> {
  await tx.records(LOCKS).updateOne(eq("_id", hashedId(lock)), { increment: { taken: 1 } });
}

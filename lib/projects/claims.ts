import { type Clock, timestamp } from "../clock.ts";
import type { NewId } from "../ids.ts";
import { UniqueViolation } from "../store/errors.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Transaction } from "../store/port.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/** Names of one-time tasks that a process has claimed. Stored in the control space. */
const CLAIMS = recordKind({
  name: "claims",
  fields: {
    name: field.text,
    createdAt: field.date,
  },
  indexes: [{ keys: [{ path: "name", descending: false }], unique: true }],
  trash: false,
});

type ClaimRecord = RecordOf<typeof CLAIMS>;

/** Returns whether this process is the first to claim the task. */
export async function claim(
  { engine, newId, clock }: { engine: Engine; newId: NewId; clock: Clock },
  name: string,
): Promise<boolean> {
  try {
    const record = { _id: newId(), name, createdAt: timestamp(clock) };
    await engine.records<ClaimRecord>("control", CLAIMS).insert(record);
    return true;
  } catch (error) {
    if (error instanceof UniqueViolation) return false;
    throw error;
  }
}

export const isClaimed = async (engine: Engine, name: string): Promise<boolean> =>
  await engine.records<ClaimRecord>("control", CLAIMS).findOne(eq("name", name)) !== null;

/** Variant of {@linkcode claim} that is undone if the transaction is rolled back. */
export async function claimWithin(
  tx: Transaction,
  { newId, clock }: { newId: NewId; clock: Clock },
  name: string,
): Promise<boolean> {
  const claims = tx.records<ClaimRecord>(CLAIMS);
  if (await claims.findOne(eq("name", name)) !== null) return false;
  await claims.insert({ _id: newId(), name, createdAt: timestamp(clock) });
  return true;
}

import type { Plan } from "../projects/plans.ts";
import { Problem } from "../problems.ts";
import { ALL, eq } from "../store/filter.ts";
import type { Definition, Engine, Id, Transaction } from "../store/port.ts";
import { COLLECTIONS } from "./catalog.ts";

/** In each project's space, one record under the project's own id. */
const COLLECTION_TURNS: Definition = {
  name: "_collectionTurns",
  fields: { turns: { type: "Number" } },
  indexes: [],
  trash: false,
};

/**
 * Transactions that add collections to a project wait for one another: each touches this record, so
 * that what it has counted still holds when it commits. It must be there before they begin.
 */
export async function ensureLockRow({ engine }: { engine: Engine }, projectId: Id): Promise<void> {
  const records = engine.records(projectId, COLLECTION_TURNS);
  if (await records.get(projectId) !== null) return;
  await records.upsert(eq("_id", projectId), {}, { _id: projectId, turns: 0 });
}

/**
 * Throws `PLAN_LIMIT_REACHED` where a transaction must not add as many collections.
 * {@linkcode ensureLockRow} comes before it.
 */
export async function refuseMoreCollections(
  tx: Transaction,
  projectId: Id,
  { plan, added }: { readonly plan: Plan; readonly added: number },
): Promise<void> {
  const turns = tx.records(COLLECTION_TURNS);
  await turns.updateOne(eq("_id", projectId), { increment: { turns: 1 } });
  if (await tx.records(COLLECTIONS).count(ALL) + added <= plan.collections) return;
  throw new Problem("PLAN_LIMIT_REACHED", {
    message: `The ${plan.name} plan allows ${plan.collections} collections of a project.`,
  });
}

import { timestamp } from "../clock.ts";
import { Problem } from "../problems.ts";
import { UniqueViolation } from "../store/errors.ts";
import type { Id } from "../store/port.ts";
import { type CollectionRecord, COLLECTIONS } from "./catalog.ts";
import { compileCollection } from "./collection.ts";
import { prepareTurns, refuseMoreCollections } from "./collections_limit.ts";
import { parseDefinition } from "./definition.ts";
import type { CollectionDefinition } from "./fields.ts";
import { shown } from "./names.ts";
import { unusedPlace } from "./removed_collections.ts";
import { asJson, checkReferences, type CollectionServices } from "./save_collection.ts";

/**
 * Stores several new collections, which may refer to each other, or none of them. Throws
 * `INVALID_DEFINITION`, `PLAN_LIMIT_REACHED`, and `COLLECTION_EXISTS` that names the one that does.
 */
export async function createCollections(
  { engine, plans, catalog, clock, newId }: CollectionServices,
  projectId: Id,
  inputs: readonly unknown[],
): Promise<CollectionDefinition[]> {
  const definitions = inputs.map(parseDefinition);
  const now = timestamp(clock);
  const plan = await plans.of(projectId);
  await prepareTurns({ engine }, projectId);
  await engine.transaction(projectId, async (tx) => {
    await refuseMoreCollections(tx, projectId, { plan, added: definitions.length });
    const records = tx.records<CollectionRecord>(COLLECTIONS);
    const places = new Map<CollectionDefinition, string>();
    for (const definition of definitions) {
      const { name } = definition;
      const fresh: CollectionRecord = {
        _id: newId(),
        name,
        nameLower: name.toLowerCase(),
        definition: asJson(definition),
        createdAt: now,
        updatedAt: now,
      };
      const storedAs = await unusedPlace(tx, fresh);
      places.set(definition, storedAs);
      try {
        await records.insert(storedAs === name ? fresh : { ...fresh, storedAs });
      } catch (error) {
        if (!(error instanceof UniqueViolation)) throw error;
        throw new Problem("COLLECTION_EXISTS", {
          cause: error,
          message: `A collection ${shown(name)} exists already; names that differ only in case ` +
            "are one.",
        });
      }
    }
    // By now all of them are there.
    for (const definition of definitions) await checkReferences(records, definition);
    for (const [definition, storedAs] of places) {
      await tx.define(compileCollection(definition, { storedAs }).records);
    }
  });
  for (const { name } of definitions) catalog.forget(projectId, name);
  return definitions;
}

import { ALL } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { storedCollections } from "./save_collection.ts";

export interface CollectionSize {
  readonly name: string;
  /** Documents, those in the trash too: an estimate where the engine would have to look at each. */
  readonly count: number;
}

/**
 * Every collection has an index for it: in another order a page would cost as much as a scan. The
 * newest first would push the page out of memory that applications ask for most.
 */
const OLDEST_FIRST = [{ path: "createdAt", descending: false }] as const;

/** How much is in each collection of a project. */
export async function collectionSizes(
  { engine }: { engine: Engine },
  projectId: Id,
): Promise<CollectionSize[]> {
  const collections = await storedCollections({ engine }, projectId);
  const query = { filter: ALL, sort: OLDEST_FIRST, limit: 1, total: "estimate" } as const;
  return await Promise.all(collections.map(async ({ definition, records }) => {
    const { total } = await engine.records(projectId, records).list(query);
    return { name: definition.name, count: total ?? 0 };
  }));
}

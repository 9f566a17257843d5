import { ALL } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import type { Catalog } from "./catalog.ts";
import { listCollections } from "./save_collection.ts";

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

/** How much is in each collection of a project, by name. */
export async function collectionSizes(
  services: { readonly engine: Engine; readonly catalog: Pick<Catalog, "find"> },
  projectId: Id,
): Promise<CollectionSize[]> {
  const { engine, catalog } = services;
  const query = { filter: ALL, sort: OLDEST_FIRST, limit: 1, total: "estimate" } as const;
  const definitions = await listCollections(services, projectId);
  return await Promise.all(definitions.map(async ({ name }) => {
    const collection = await catalog.find(projectId, name);
    if (collection === null) return { name, count: 0 }; // Deleted a moment ago.
    const { total } = await engine.records(projectId, collection.records).list(query);
    return { name, count: total ?? 0 };
  }));
}

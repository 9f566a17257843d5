import { ALL } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import type { Catalog } from "./catalog.ts";
import { listCollections } from "./save_collection.ts";

export interface CollectionSize {
  readonly name: string;
  /** Includes the trash. An estimate if counting would scan the collection. */
  readonly count: number;
}

/** Order of an index, ascending so that the newest documents stay in the engine's memory. */
const OLDEST_FIRST = [{ path: "createdAt", descending: false }] as const;

/** Returns the sizes of a project's collections, ordered by name. */
export async function readCollectionSizes(
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

import { ALL } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { storedCollections } from "./save_collection.ts";

export interface CollectionSize {
  readonly name: string;
  /** Documents, those in the trash too: an estimate where the engine would have to look at each. */
  readonly count: number;
}

/** How much is in each collection of a project. */
export async function collectionSizes(
  { engine }: { engine: Engine },
  projectId: Id,
): Promise<CollectionSize[]> {
  const collections = await storedCollections({ engine }, projectId);
  const query = { filter: ALL, sort: [], limit: 1, total: "estimate" } as const;
  return await Promise.all(collections.map(async ({ definition, records }) => {
    const { total } = await engine.records(projectId, records).list(query);
    return { name: definition.name, count: total ?? 0 };
  }));
}

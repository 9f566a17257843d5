import type { Engine, Id } from "../store/port.ts";
import { type CollectionRecord, COLLECTIONS, placeOf } from "./catalog.ts";
import { readCollections } from "./save_collection.ts";

/** How far a changed definition's columns and indexes are. */
export interface Building {
  /** The collection's. */
  readonly name: string;
  /** Documents that are done. */
  readonly done: number;
  readonly total: number;
}

/** The collections of a project whose changed definitions are being built, by whichever process. */
export async function listBuilding(
  { engine }: { readonly engine: Engine },
  projectId: Id,
): Promise<Building[]> {
  const builds = await engine.builds?.(projectId) ?? [];
  if (builds.length === 0) return [];
  const records = await readCollections(
    engine.records<CollectionRecord>(projectId, COLLECTIONS),
  );
  const names = new Map(records.map((record) => [placeOf(record), record.name]));
  return builds.flatMap(({ kind, done, total }) => {
    const name = names.get(kind);
    return name === undefined ? [] : [{ name, done, total }];
  });
}

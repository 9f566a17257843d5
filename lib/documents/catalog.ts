import { LRUCache } from "lru-cache";
import type { Clock } from "../clock.ts";
import { CACHE_MS } from "../limits.ts";
import { eq } from "../store/filter.ts";
import type { Definition, Engine, Id, Json, StoredRecord } from "../store/port.ts";
import { type Collection, compileCollection } from "./collection.ts";
import type { CollectionDefinition } from "./definition.ts";

/** A definition as it is stored in its project's space. */
export type CollectionRecord = StoredRecord & {
  name: string;
  /** Names that differ only in case are one. */
  nameLower: string;
  definition: CollectionDefinition & { [name: string]: Json };
  createdAt: string;
  updatedAt: string;
};

export const COLLECTIONS: Definition = {
  name: "_collections",
  fields: {
    name: { type: "String" },
    nameLower: { type: "String" },
    createdAt: { type: "Date" },
    updatedAt: { type: "Date" },
  },
  indexes: [{ keys: [{ path: "nameLower", descending: false }], unique: true }],
  trash: false,
};

/** Finds collections by their names. */
export interface Catalog {
  /** Null if the project has no such collection; letter case counts. */
  find(projectId: Id, name: string): Promise<Collection | null>;
  /** Drops what is remembered; other processes notice within `CACHE_MS`. */
  forget(projectId: Id, name: string): void;
}

const COLLECTIONS_KEPT = 5_000;

interface Entry {
  readonly collection: Collection;
  readonly revision: number;
  readonly readAt: number;
}

export function createCatalog(engine: Engine, clock: Clock): Catalog {
  const known = new LRUCache<string, Entry>({ max: COLLECTIONS_KEPT });
  const keyOf = (projectId: Id, name: string) => `${projectId}/${name}`;

  return {
    async find(projectId, name) {
      const key = keyOf(projectId, name);
      const entry = known.get(key);
      const now = clock.now();
      if (entry !== undefined && now - entry.readAt < CACHE_MS) return entry.collection;
      const found = await engine.records<CollectionRecord>(projectId, COLLECTIONS)
        .findOne(eq("nameLower", name.toLowerCase()));
      if (found === null || found.value.name !== name) {
        known.delete(key);
        return null;
      }
      // Compiled once per revision, so that what was learnt of its queries is kept.
      const collection = entry?.revision === found.revision
        ? entry.collection
        : compileCollection(found.value.definition);
      known.set(key, { collection, revision: found.revision, readAt: now });
      return collection;
    },
    forget: (projectId, name) => void known.delete(keyOf(projectId, name)),
  };
}

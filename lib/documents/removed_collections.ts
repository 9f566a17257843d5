import { type Clock, timestamp } from "../clock.ts";
import { REQUEST_TIMEOUT_MS } from "../limits.ts";
import { deleteGently } from "../store/expiry.ts";
import { ALL, and, compare, eq } from "../store/filter.ts";
import type { Definition, Engine, Filter, Id, StoredRecord } from "../store/port.ts";
import { type CollectionRecord, placeOf } from "./catalog.ts";
import type { StoredDocument } from "./collection.ts";

/**
 * Where the documents of a deleted collection are kept. A collection of the same name that is made
 * later is kept elsewhere: neither those who empty this place, nor writers who have not heard of
 * the deletion, ever touch the new one's documents.
 */
export type RemovedCollection = StoredRecord & {
  storedAs: string;
  removedAt: string;
};

/** In each project's space. */
export const REMOVED_COLLECTIONS: Definition = {
  name: "_removedCollections",
  fields: {
    storedAs: { type: "String" },
    removedAt: { type: "Date" },
  },
  indexes: [],
  trash: false,
};

/**
 * How long somebody may go on writing who found the collection before it was deleted: what is known
 * of it may be some seconds old, a body and its handler have a time limit each.
 */
const LATE_WRITES_MS = 3 * REQUEST_TIMEOUT_MS;

export interface RemovalServices {
  readonly engine: Engine;
  readonly clock: Clock;
}

/** Removes the documents of every deleted collection of a project; resolves to how many. */
export async function emptyRemoved(
  services: RemovalServices,
  projectId: Id,
  stopped: () => boolean,
): Promise<number> {
  let removed = 0;
  for await (const one of pending(services, projectId)) {
    removed += await empty(services, projectId, one, stopped);
  }
  return removed;
}

/**
 * {@linkcode emptyRemoved}, and the places themselves where nobody can write any more. Several
 * processes may do so at once.
 */
export async function finishRemovals(
  services: RemovalServices,
  projectId: Id,
  stopped: () => boolean,
): Promise<number> {
  const { engine, clock } = services;
  const quiet = new Date(clock.now() - LATE_WRITES_MS).toISOString();
  let removed = await emptyRemoved(services, projectId, stopped);
  for await (const one of pending(services, projectId, compare("removedAt", "lt", quiet))) {
    removed += await empty(services, projectId, one, stopped);
    if (stopped()) break;
    await engine.drop(projectId, keptAt(one));
    await engine.records<RemovedCollection>(projectId, REMOVED_COLLECTIONS)
      .deleteOne(eq("_id", one._id));
  }
  return removed;
}

async function* pending(
  { engine }: RemovalServices,
  projectId: Id,
  which: Filter = ALL,
): AsyncGenerator<RemovedCollection> {
  const records = engine.records<RemovedCollection>(projectId, REMOVED_COLLECTIONS);
  for (let after: Id | null = null;;) {
    const rest: Filter = after === null ? which : and(which, compare("_id", "gt", after));
    const next = await records.findOne(rest);
    if (next === null) return;
    yield next.value;
    after = next.value._id;
  }
}

const empty = (
  { engine }: RemovalServices,
  projectId: Id,
  place: RemovedCollection,
  stopped: () => boolean,
): Promise<number> =>
  deleteGently(engine.records<StoredDocument>(projectId, keptAt(place)), ALL, stopped);

/** As far as it matters to remove it. */
const keptAt = ({ storedAs }: RemovedCollection): Definition => ({
  name: storedAs,
  fields: { isDeleted: { type: "Boolean" } },
  indexes: [],
  trash: true,
});

export const newRemoval = (
  { clock }: { clock: Clock },
  _id: Id,
  record: CollectionRecord,
): RemovedCollection => ({
  _id,
  storedAs: placeOf(record),
  removedAt: timestamp(clock),
});

import { type Clock, timestamp } from "../clock.ts";
import { REQUEST_TIMEOUT_MS } from "../limits.ts";
import { deleteGently } from "../store/expiry.ts";
import { ALL, and, compare, eq } from "../store/filter.ts";
import type { Definition, Engine, Filter, Id, StoredRecord, Transaction } from "../store/port.ts";
import { type CollectionRecord, placeOf } from "./catalog.ts";
import type { StoredDocument } from "./collection.ts";

/**
 * Where the documents of a deleted collection are kept. A collection of the same name that is made
 * later is kept elsewhere: neither those who empty this place, nor writers who have not heard of
 * the deletion, ever touch the new one's documents.
 */
export type RemovedCollection = StoredRecord & {
  /** Of the collection's name, in lower case. */
  nameLower: string;
  storedAs: string;
  removedAt: string;
  /** Whether nothing is kept there any more, not even the place itself. */
  isDropped: boolean;
};

/** In each project's space. */
export const REMOVED_COLLECTIONS: Definition = {
  name: "_removedCollections",
  fields: {
    nameLower: { type: "String" },
    storedAs: { type: "String" },
    removedAt: { type: "Date" },
    isDropped: { type: "Boolean" },
  },
  indexes: [
    { keys: [{ path: "nameLower", descending: false }] },
    { keys: [{ path: "isDropped", descending: false }] },
  ],
  trash: false,
};

/** A place for a new collection's documents that never was another one's. */
export async function unusedPlace(
  tx: Transaction,
  { _id, name, nameLower }: Pick<CollectionRecord, "_id" | "name" | "nameLower">,
): Promise<string> {
  const earlier = await tx.records<RemovedCollection>(REMOVED_COLLECTIONS)
    .findOne(eq("nameLower", nameLower));
  return earlier === null ? name : `${name}.${_id}`;
}

/** Whether a place has an id of its own, so that it cannot come again. */
const isUnique = ({ storedAs }: RemovedCollection): boolean => storedAs.includes(".");

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
    const records = engine.records<RemovedCollection>(projectId, REMOVED_COLLECTIONS);
    if (isUnique(one)) await records.deleteOne(eq("_id", one._id));
    // Of a name that served once: whoever still empties it would empty the next one's documents.
    else await records.updateOne(eq("_id", one._id), { set: { isDropped: true } });
  }
  return removed;
}

async function* pending(
  { engine }: RemovalServices,
  projectId: Id,
  which: Filter = ALL,
): AsyncGenerator<RemovedCollection> {
  const records = engine.records<RemovedCollection>(projectId, REMOVED_COLLECTIONS);
  const filter = and(eq("isDropped", false), which);
  for (let after: Id | null = null;;) {
    const rest: Filter = after === null ? filter : and(filter, compare("_id", "gt", after));
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
  nameLower: record.nameLower,
  storedAs: placeOf(record),
  removedAt: timestamp(clock),
  isDropped: false,
});

import type { NewId } from "../ids.ts";
import { Patience } from "../patience.ts";
import { StoreUnavailable } from "../store/errors.ts";
import { eq } from "../store/filter.ts";
import type { Definition, Engine, Id, Records, Stored, Transaction } from "../store/port.ts";
import {
  collectionNames,
  collectionNotFound,
  type CollectionRecord,
  COLLECTIONS,
  placeOf,
} from "./catalog.ts";

export interface RedefineServices {
  readonly engine: Engine;
  readonly newId: NewId;
}

/** A stored definition, in a transaction during which no document is written under it. */
export interface Redefining {
  readonly tx: Transaction;
  readonly records: Records<CollectionRecord>;
  readonly stored: Stored<CollectionRecord>;
  /** The version that the definition has from now on. */
  readonly version: Id;
}

/** The definition that is changed. */
export interface Redefined {
  /** Name of the collection. */
  readonly name: string;
  /** As in `TransactionOptions`. */
  readonly redefines?: Definition | undefined;
}

type Work<T> = (redefining: Redefining) => Promise<T>;

/**
 * Changes a stored definition, or removes it, in one transaction. The transaction sees each write to
 * the collection, or the write starts over under the new definition. Writes wait for a long change
 * up to a limit: see {@linkcode finishDefinitionChange}. Throws `COLLECTION_NOT_FOUND`, and
 * `StoreUnavailable` if other changes are always under way.
 */
export async function redefine<T>(
  services: RedefineServices,
  projectId: Id,
  { name, redefines }: Redefined,
  work: Work<T>,
): Promise<T> {
  if (services.engine.checksDefinitionAtCommit) {
    const version = services.newId();
    return await inTransaction(services, projectId, { name, redefines, version }, work);
  }
  try {
    return await fenced(services, projectId, name, work);
  } catch (error) {
    // If this fails too, the first write that waits for the definition does it.
    await finishDefinitionChange(services, projectId, name).catch(() => {});
    throw error;
  }
}

/**
 * Gives the definition a new version and changes nothing else, unless a change is under way. Writers
 * wait for a version that is never committed if a change has failed or its process was killed.
 */
export async function finishDefinitionChange(
  services: RedefineServices,
  projectId: Id,
  name: string,
): Promise<void> {
  if (services.engine.checksDefinitionAtCommit) return;
  if (await touched(services, projectId, name) === null) return;
  await fenced(services, projectId, name, () => Promise.resolve());
}

/** How many milliseconds a change waits for other changes. */
const TRIES_MS = 5_000;

async function fenced<T>(
  services: RedefineServices,
  projectId: Id,
  name: string,
  work: Work<T>,
): Promise<T> {
  const { engine, newId } = services;
  for (const patience = new Patience();;) {
    const from = await touched(services, projectId, name);
    if (from !== null) {
      const version = newId();
      await engine.fence(projectId, { name: placeOf(from), version });
      try {
        return await inTransaction(services, projectId, { name, version, from }, work);
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
      }
    }
    if (patience.isOver(TRIES_MS)) {
      throw new StoreUnavailable("Others are changing the definition");
    }
    await patience.pause();
  }
}

/**
 * Writes the record without changing it, and returns it. Returns null while a transaction that changes
 * the record is open: a fence would wait for the transaction, and all writers for the fence.
 */
async function touched(
  { engine }: RedefineServices,
  projectId: Id,
  name: string,
): Promise<CollectionRecord | null> {
  let runs = 0;
  try {
    return await engine.transaction(projectId, async (tx) => {
      if (++runs > 1) throw new Overtaken(); // It was in the way of another one.
      const records = tx.records<CollectionRecord>(COLLECTIONS);
      const { value } = await findRecord(records, name);
      await records.updateOne(eq("_id", value._id), { set: { name } });
      return value;
    });
  } catch (error) {
    if (error instanceof Overtaken) return null;
    throw error;
  }
}

/** Another change of the definition is under way, or was committed first. */
class Overtaken extends Error {
  override readonly name = "Overtaken";
}

interface RedefinitionStep extends Redefined {
  readonly version: Id;
  /** The record before writers were refused. */
  readonly from?: CollectionRecord;
}

const inTransaction = <T>(
  { engine }: RedefineServices,
  projectId: Id,
  { name, redefines, version, from }: RedefinitionStep,
  work: Work<T>,
): Promise<T> =>
  engine.transaction(projectId, async (tx) => {
    const records = tx.records<CollectionRecord>(COLLECTIONS);
    const stored = await findRecord(records, name);
    if (from !== undefined && !isSame(from, stored.value)) throw new Overtaken();
    // Comes first, so that a concurrent change fails now and not after all its work.
    await records.updateOne(eq("_id", stored.value._id), { set: { version } });
    return await work({ tx, records, stored, version });
  }, { redefines });

const isSame = (one: CollectionRecord, other: CollectionRecord): boolean =>
  one._id === other._id && one.version === other.version;

/** Letter case counts. Throws `COLLECTION_NOT_FOUND`. */
export async function findRecord(
  records: Records<CollectionRecord>,
  name: string,
): Promise<Stored<CollectionRecord>> {
  const stored = await records.findOne(eq("nameLower", name.toLowerCase()));
  if (stored === null || stored.value.name !== name) {
    throw collectionNotFound(name, await collectionNames(records));
  }
  return stored;
}

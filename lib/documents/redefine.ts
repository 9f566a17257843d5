import type { NewId } from "../ids.ts";
import { Backoff } from "../backoff.ts";
import { StoreUnavailable } from "../store/errors.ts";
import { eq } from "../store/filter.ts";
import type { Definition, Engine, Id, Records, Stored, Transaction } from "../store/port.ts";
import {
  collectionNotFound,
  type CollectionRecord,
  COLLECTIONS,
  readCollectionNames,
  tableName,
} from "./catalog.ts";

export interface RedefineServices {
  readonly engine: Engine;
  readonly newId: NewId;
}

/** A definition in a transaction during which no document is written under it. */
export interface OpenDefinition {
  readonly tx: Transaction;
  readonly records: Records<CollectionRecord>;
  readonly stored: Stored<CollectionRecord>;
  /** New version of the definition. */
  readonly version: Id;
}

export interface RedefineTarget {
  readonly name: string;
  /** The option `redefines` of `TransactionOptions`. */
  readonly redefines?: Definition | undefined;
}

type Work<T> = (redefining: OpenDefinition) => Promise<T>;

/**
 * Changes or removes a definition in one transaction. A concurrent write is either visible to the
 * transaction, or is retried under the new definition. Throws `COLLECTION_NOT_FOUND`, and
 * `StoreUnavailable` if other changes keep interfering.
 */
export async function redefine<T>(
  services: RedefineServices,
  projectId: Id,
  { name, redefines }: RedefineTarget,
  work: Work<T>,
): Promise<T> {
  if (services.engine.checksDefinitionAtCommit) {
    const version = services.newId();
    return await redefineInTransaction(services, projectId, { name, redefines, version }, work);
  }
  try {
    return await redefineFenced(services, projectId, name, work);
  } catch (error) {
    // If this fails too, the first write that waits for the definition finishes the change.
    await finishDefinitionChange(services, projectId, name).catch(() => {});
    throw error;
  }
}

/**
 * Gives a definition whose change failed or was killed a new version, because writers would wait
 * for a version that is never committed. Does nothing while a change is in progress.
 */
export async function finishDefinitionChange(
  services: RedefineServices,
  projectId: Id,
  name: string,
): Promise<void> {
  if (services.engine.checksDefinitionAtCommit) return;
  if (await touchDefinition(services, projectId, name) === null) return;
  await redefineFenced(services, projectId, name, () => Promise.resolve());
}

/** Milliseconds that a change waits for other changes. */
const WAIT_MS = 5_000;

async function redefineFenced<T>(
  services: RedefineServices,
  projectId: Id,
  name: string,
  work: Work<T>,
): Promise<T> {
  const { engine, newId } = services;
  for (const backoff = new Backoff();;) {
    const from = await touchDefinition(services, projectId, name);
    if (from !== null) {
      const version = newId();
      await engine.fence(projectId, { name: tableName(from), version });
      try {
        return await redefineInTransaction(services, projectId, { name, version, from }, work);
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
      }
    }
    if (backoff.isOver(WAIT_MS)) {
      throw new StoreUnavailable("Other requests are changing the definition");
    }
    await backoff.pause();
  }
}

/**
 * Writes the record unchanged, and returns it. Returns null while another transaction changes the
 * record, because a fence would wait for this transaction, and all writers for the fence.
 */
async function touchDefinition(
  { engine }: RedefineServices,
  projectId: Id,
  name: string,
): Promise<CollectionRecord | null> {
  let runs = 0;
  try {
    return await engine.transaction(projectId, async (tx) => {
      if (++runs > 1) throw new Overtaken(); // The first run conflicted with another transaction.
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

/** Another change of the definition is in progress, or was committed first. */
class Overtaken extends Error {
  override readonly name = "Overtaken";
}

interface RedefinitionStep extends RedefineTarget {
  readonly version: Id;
  /** The record before the fence. */
  readonly from?: CollectionRecord;
}

const redefineInTransaction = <T>(
  { engine }: RedefineServices,
  projectId: Id,
  { name, redefines, version, from }: RedefinitionStep,
  work: Work<T>,
): Promise<T> =>
  engine.transaction(projectId, async (tx) => {
    const records = tx.records<CollectionRecord>(COLLECTIONS);
    const stored = await findRecord(records, name);
    if (from !== undefined && !isSameVersion(from, stored.value)) throw new Overtaken();
    // This comes first, so that a concurrent change fails before its work.
    await records.updateOne(eq("_id", stored.value._id), { set: { version } });
    return await work({ tx, records, stored, version });
  }, { redefines });

const isSameVersion = (one: CollectionRecord, other: CollectionRecord): boolean =>
  one._id === other._id && one.version === other.version;

/** Finds a definition by its exact name. Throws `COLLECTION_NOT_FOUND`. */
export async function findRecord(
  records: Records<CollectionRecord>,
  name: string,
): Promise<Stored<CollectionRecord>> {
  const stored = await records.findOne(eq("nameLower", name.toLowerCase()));
  if (stored === null || stored.value.name !== name) {
    throw collectionNotFound(name, await readCollectionNames(records));
  }
  return stored;
}

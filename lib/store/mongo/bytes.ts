import type { Db, Document } from "mongodb";
import type { Definition } from "../port.ts";
import { MAX_TIME } from "./connect.ts";
import { retryOnce } from "./failures.ts";
import { isMissing } from "./indexes.ts";

/** Matches names of collections that do not contain documents: Corbel's own and the server's. */
const NOT_OF_DOCUMENTS = /^(?:_|system\.)/;

/**
 * Returns the BSON size in bytes of all documents of a database and of records of the given kinds.
 * The server counts it separately from its writes, so after a crash of the server it may be wrong
 * until {@linkcode validate}.
 */
export async function bytesIn(db: Db, alsoCounted: readonly Definition[]): Promise<number> {
  const counted = {
    $or: [{ name: { $not: NOT_OF_DOCUMENTS } }, {
      name: { $in: alsoCounted.map(({ name }) => name) },
    }],
  };
  const sizes = await Promise.all(
    (await collectionNames(db, counted)).map((name) => bytesOfKind(db, name)),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns the names of all collections except the server's own. */
export const kindsIn = (db: Db): Promise<string[]> =>
  collectionNames(db, { name: { $not: /^system\./ } });

async function collectionNames(db: Db, which: Document): Promise<string[]> {
  const options = { nameOnly: true, ...MAX_TIME };
  const found = await retryOnce(() => db.listCollections(which, options).toArray());
  return found.map(({ name }) => name);
}

/** Returns the BSON size of a collection in bytes, summed over the shards of a cluster. */
export async function bytesOfKind(db: Db, name: string): Promise<number> {
  const stages = [
    { $collStats: { storageStats: {} } },
    { $project: { size: "$storageStats.size" } },
  ];
  try {
    const shards = await retryOnce(() =>
      db.collection(name).aggregate<{ size: number }>(stages, MAX_TIME).toArray()
    );
    return shards.reduce((sum, { size }) => sum + Number(size), 0);
  } catch (error) {
    if (isMissing(error)) return 0; // It was dropped concurrently.
    throw error;
  }
}

/**
 * Makes the server examine every document and index and correct its count. The collection is locked
 * in the meantime. There is no time limit, because a validation that exceeded it would never
 * finish. Resolves to the difference in bytes.
 */
export async function validate(db: Db, name: string): Promise<number> {
  const before = await bytesOfKind(db, name);
  try {
    await db.command({ validate: name });
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return await bytesOfKind(db, name) - before;
}

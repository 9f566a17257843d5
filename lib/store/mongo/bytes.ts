import type { Db, Document } from "mongodb";
import type { Definition } from "../port.ts";
import { LIMITED } from "./connect.ts";
import { repeatable } from "./failures.ts";
import { isMissing } from "./indexes.ts";

/** Collections of documents: of Corbel's own, and the server's, the names say so. */
const NOT_OF_DOCUMENTS = /^(?:_|system\.)/;

/**
 * What all documents of a database, and the records of these kinds, take as BSON. The server counts
 * it beside its writes; after a crash of its own it may be off until {@linkcode validate}.
 */
export async function bytesIn(db: Db, alsoCounted: readonly Definition[]): Promise<number> {
  const counted = {
    $or: [{ name: { $not: NOT_OF_DOCUMENTS } }, {
      name: { $in: alsoCounted.map(({ name }) => name) },
    }],
  };
  const sizes = await Promise.all((await named(db, counted)).map((name) => bytesOfKind(db, name)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Names of all collections but the server's own. */
export const kindsIn = (db: Db): Promise<string[]> => named(db, { name: { $not: /^system\./ } });

async function named(db: Db, which: Document): Promise<string[]> {
  const options = { nameOnly: true, ...LIMITED };
  const found = await repeatable(() => db.listCollections(which, options).toArray());
  return found.map(({ name }) => name);
}

/** On a sharded cluster each shard answers for itself. */
export async function bytesOfKind(db: Db, name: string): Promise<number> {
  const stages = [
    { $collStats: { storageStats: {} } },
    { $project: { size: "$storageStats.size" } },
  ];
  try {
    const shards = await repeatable(() =>
      db.collection(name).aggregate<{ size: number }>(stages, LIMITED).toArray()
    );
    return shards.reduce((sum, { size }) => sum + Number(size), 0);
  } catch (error) {
    if (isMissing(error)) return 0; // Dropped meanwhile.
    throw error;
  }
}

/**
 * Has the server look at every document and index, and set its count right; the collection is locked
 * as long as it does. It has no time limit: what takes longer than the connection waits would never
 * be set right. Resolves to by how much the count was off.
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

/** Probes the MongoDB server for faults, by which some tests would fail. */

import { type Collection, type Document, MongoClient } from "mongodb";
import { dropDatabases, mongodbTestUrl } from "./mongodb.ts";
import { database } from "./test_store.ts";

export interface Faults {
  /** Why the server rejects a unique value that its record no longer has; null if it does not. */
  readonly staysTaken: string | null;
  /** Why the doubles nearest to zero are sorted wrongly; null if they are not. */
  readonly misplacesTiny: string | null;
  /** Why a validator changes while a transaction has written; null if it waits. */
  readonly changesValidatorEarly: string | null;
  /** Why concurrent transactions can all set the same unique value; null if only one can. */
  readonly sharesUnique: string | null;
  /** Why snapshot reads return later writes; null if they do not. */
  readonly ignoresSnapshots: string | null;
}

const NONE: Faults = {
  staysTaken: null,
  misplacesTiny: null,
  changesValidatorEarly: null,
  sharesUnique: null,
  ignoresSnapshots: null,
};

/** Faults of the server under test; none for SQLite. */
export const faults: Faults = database === "mongodb" ? await findFaults() : NONE;

export async function findFaults(): Promise<Faults> {
  const prefix = `test${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  await using client = new MongoClient(mongodbTestUrl());
  try {
    const db = client.db(`${prefix}_faults`);
    return {
      staysTaken: await staysTaken(db.collection("taken"))
        ? "this server rejects a unique value that its record no longer has"
        : null,
      misplacesTiny: await misplacesTiny(db.collection("tiny"))
        ? "this server sorts the doubles nearest to zero wrongly"
        : null,
      changesValidatorEarly: await changesValidatorEarly(client, db.collection("changed"))
        ? "this server changes a validator during transactions that have uncommitted writes"
        : null,
      sharesUnique: await sharesUnique(client, db.collection("shared"))
        ? "this server lets concurrent transactions set the same unique value"
        : null,
      ignoresSnapshots: await ignoresSnapshots(client, db.collection("moments"))
        ? "this server returns later writes to snapshot reads"
        : null,
    };
  } finally {
    await dropDatabases(prefix);
  }
}

async function staysTaken(collection: Collection): Promise<boolean> {
  await collection.createIndex({ value: 1 }, { unique: true });
  await collection.insertOne({ value: "a" });
  await collection.updateOne({ value: "a" }, { $set: { value: "b" } });
  return await collection.insertOne({ value: "a" }).then(() => false, () => true);
}

async function misplacesTiny(collection: Collection): Promise<boolean> {
  const numbers = [0, 5e-324, 1e-300, 0.1];
  await collection.insertMany(numbers.toReversed().map((number) => ({ number })));
  const found: Document[] = await collection.find({ number: { $gte: 0 } })
    .sort({ number: 1 }).toArray();
  return found.map(({ number }) => number).join() !== numbers.join();
}

async function ignoresSnapshots(client: MongoClient, collection: Collection): Promise<boolean> {
  await collection.insertOne({});
  await using session = client.startSession({ snapshot: true });
  const count = async () => {
    const readConcern = { level: "snapshot" } as const;
    return (await collection.find({}, { session, readConcern }).toArray()).length;
  };
  await count();
  await collection.insertOne({});
  return await count() !== 1;
}

async function changesValidatorEarly(
  client: MongoClient,
  collection: Collection,
): Promise<boolean> {
  await collection.insertOne({});
  await using session = client.startSession();
  session.startTransaction();
  await collection.insertOne({}, { session });
  const change = { collMod: collection.collectionName, validator: {}, maxTimeMS: 200 };
  const hasChanged = await client.db(collection.dbName).command(change).then(
    () => true,
    () => false,
  );
  await session.abortTransaction();
  return hasChanged;
}

async function sharesUnique(client: MongoClient, collection: Collection): Promise<boolean> {
  await collection.createIndex({ value: 1 }, { unique: true });
  await collection.insertMany([{ value: 1 }, { value: 2 }]);
  await using one = client.startSession();
  await using other = client.startSession();
  for (const session of [one, other]) session.startTransaction();
  try {
    await collection.updateOne({ value: 1 }, { $set: { value: 3 } }, { session: one });
    await collection.updateOne({ value: 2 }, { $set: { value: 3 } }, { session: other });
    await one.commitTransaction();
    await other.commitTransaction();
    return true;
  } catch {
    return false; // Correct: the second transaction conflicts with the first.
  } finally {
    for (const session of [one, other]) {
      if (session.inTransaction()) await session.abortTransaction();
    }
  }
}

/** Registers a test that is ignored if the server has the fault, with the reason in its title. */
export function testUnless(fault: string | null, name: string, fn: () => Promise<void>): void {
  Deno.test({
    name: fault === null ? name : `${name} (left out: ${fault})`,
    ignore: fault !== null,
    fn,
  });
}

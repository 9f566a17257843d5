/**
 * What the MongoDB that the tests were given does wrong. Each fault is looked for, not presumed:
 * on a server without it the tests that it would fail are run.
 */

import { type Collection, type Document, MongoClient } from "mongodb";
import { dropDatabases, mongodbTestUrl } from "./mongodb.ts";
import { database } from "./test_store.ts";

export interface Faults {
  /** Why values are not free again once their record has another; null where they are. */
  readonly staysTaken: string | null;
  /** Why the doubles nearest to zero are out of order or confused; null where they are not. */
  readonly misplacesTiny: string | null;
  /** Why a validator is changed beside transactions that have written already; null where it waits. */
  readonly changesBeside: string | null;
  /** Why transactions side by side all set the same unique value; null where one of them does. */
  readonly sharesUnique: string | null;
  /** Why reads at a moment see what was written later; null where they do not. */
  readonly ignoresSnapshots: string | null;
}

const NONE: Faults = {
  staysTaken: null,
  misplacesTiny: null,
  changesBeside: null,
  sharesUnique: null,
  ignoresSnapshots: null,
};

/** Of the server that the tests run on; none where that is SQLite. */
export const faults: Faults = database === "mongodb" ? await findFaults() : NONE;

export async function findFaults(): Promise<Faults> {
  const prefix = `test${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  await using client = new MongoClient(mongodbTestUrl());
  try {
    const db = client.db(`${prefix}_faults`);
    return {
      staysTaken: await staysTaken(db.collection("taken"))
        ? "this server keeps a unique value for a record that has another by now"
        : null,
      misplacesTiny: await misplacesTiny(db.collection("tiny"))
        ? "this server sorts the doubles nearest to zero among others"
        : null,
      changesBeside: await changesBeside(client, db.collection("changed"))
        ? "this server changes a validator beside transactions that have written already"
        : null,
      sharesUnique: await sharesUnique(client, db.collection("shared"))
        ? "this server lets transactions side by side set the same unique value"
        : null,
      ignoresSnapshots: await ignoresSnapshots(client, db.collection("moments"))
        ? "this server names the moment of a snapshot, and reads what was written later"
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

async function changesBeside(client: MongoClient, collection: Collection): Promise<boolean> {
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
    return false; // As it must be: the second is in the way of the first.
  } finally {
    for (const session of [one, other]) {
      if (session.inTransaction()) await session.abortTransaction();
    }
  }
}

/** A test that a fault of the server leaves out, with the reason in its title. */
export function testUnless(fault: string | null, name: string, fn: () => Promise<void>): void {
  Deno.test({
    name: fault === null ? name : `${name} (left out: ${fault})`,
    ignore: fault !== null,
    fn,
  });
}

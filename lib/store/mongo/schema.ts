import type { Db } from "mongodb";
import { StoreMismatch } from "../errors.ts";
import type { Definition } from "../port.ts";
import { LIMITED } from "./connect.ts";

/**
 * Of how records are stored. It grows where an earlier version of Corbel would misread or damage
 * what this one writes:
 *
 * 1. all before there was a version
 * 2. documents name the definition that they were written under, and validators look at it
 * 3. documents that are recorded carry who has made them, in the place of a note beside them
 */
const SCHEMA_VERSION = 3;

/** In the control database, before anything else is read there. */
export const SCHEMA: Definition = { name: "schema", fields: {}, indexes: [], trash: false };

interface StoredSchema {
  readonly _id: "version";
  readonly version: number;
}

interface WriteProbe {
  readonly _id: "write probe";
  readonly at: Date;
}

/**
 * Leaves this version's mark, so that an earlier one does not touch what it stores. Throws
 * `StoreMismatch` where a later version has left its own.
 */
export async function checkSchema(db: Db): Promise<void> {
  const kept = db.collection<StoredSchema>(SCHEMA.name);
  // The larger of both stays: of two versions that start at once none takes back the other's.
  const stored = await kept.findOneAndUpdate(
    { _id: "version" },
    { $max: { version: SCHEMA_VERSION } },
    { upsert: true, returnDocument: "after", ...LIMITED },
  );
  if (stored === null || stored.version === SCHEMA_VERSION) return;
  throw new StoreMismatch(
    `Cannot use the databases of "${db.databaseName}": their schema version is ${stored.version}, ` +
      `this Corbel knows up to ${SCHEMA_VERSION}. Run the newer Corbel that wrote them, or ` +
      "restore older ones.",
  );
}

/**
 * Throws what the driver throws where a write is not confirmed, and `StoreMismatch` where a later
 * version has come since this process was started.
 */
export async function probe(db: Db): Promise<void> {
  await checkSchema(db);
  await db.collection<WriteProbe>(SCHEMA.name).updateOne(
    { _id: "write probe" },
    { $currentDate: { at: true } },
    { upsert: true, ...LIMITED },
  );
}

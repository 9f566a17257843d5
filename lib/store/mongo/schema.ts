import type { Db } from "mongodb";
import { StoreMismatch } from "../errors.ts";
import type { Definition } from "../port.ts";
import { MAX_TIME } from "./connect.ts";

/**
 * The version of the storage schema. It is incremented if an earlier version of Corbel would
 * misread or damage data of this version:
 *
 * 1. everything before the first schema version
 * 2. documents contain the version of their definition, and validators check it
 * 3. documents of recorded kinds contain their author instead of a separate change log entry
 */
const SCHEMA_VERSION = 3;

/** The collection of the schema version, which is checked before any other access. */
export const SCHEMA: Definition = { name: "schema", fields: {}, indexes: [], trash: false };

interface StoredSchema {
  readonly _id: "version";
  readonly version: number;
}

interface WriteProbe {
  readonly _id: "write probe";
  readonly at: Date;
}

/** Stores this schema version. Throws `StoreMismatch` if a later one is stored. */
export async function checkSchema(db: Db): Promise<void> {
  const schemas = db.collection<StoredSchema>(SCHEMA.name);
  // The larger version is kept if two versions start concurrently.
  const stored = await schemas.findOneAndUpdate(
    { _id: "version" },
    { $max: { version: SCHEMA_VERSION } },
    { upsert: true, returnDocument: "after", ...MAX_TIME },
  );
  if (stored === null || stored.version === SCHEMA_VERSION) return;
  throw new StoreMismatch(
    `Cannot use the databases of "${db.databaseName}": their schema version is ${stored.version}, ` +
      `this Corbel knows up to ${SCHEMA_VERSION}. Run the newer Corbel that wrote them, or ` +
      "restore older ones.",
  );
}

/**
 * Writes a probe. Throws an error of the driver if the write is not confirmed, and `StoreMismatch`
 * if a later version has used the store since this process was started.
 */
export async function probe(db: Db): Promise<void> {
  await checkSchema(db);
  await db.collection<WriteProbe>(SCHEMA.name).updateOne(
    { _id: "write probe" },
    { $currentDate: { at: true } },
    { upsert: true, ...MAX_TIME },
  );
}

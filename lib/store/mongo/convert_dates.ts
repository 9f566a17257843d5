import { type ClientSession, type Collection, ObjectId } from "mongodb";
import { parseJson } from "../json_text.ts";
import type { Definition, StoredRecord } from "../port.ts";
import { datePaths } from "../shape.ts";
import { MAX_TIME } from "./connect.ts";
import { encodeRecord } from "./encode.ts";
import { documentJson } from "./bson_json/mod.ts";
import { authorIn } from "./raw_bson.ts";

/** The collection that is converted, and the time limit for finding affected records. */
export interface RecordConversion {
  readonly collection: Collection;
  readonly session: ClientSession;
  readonly queryTimeLimitMs: number;
}

/** Converts stored values of fields that became dates or texts. Revisions do not change. */
export async function convertDates(
  { collection, session, queryTimeLimitMs: maxTimeMS }: RecordConversion,
  before: Definition,
  after: Definition,
): Promise<void> {
  const was = new Set(datePaths(before.fields));
  const is = new Set(datePaths(after.fields));
  const changed = [...was.symmetricDifference(is)];
  if (changed.length === 0) return;
  const affected = { $or: changed.map((path) => ({ [path]: { $ne: null } })) };
  const found = collection.find(affected, { session, maxTimeMS, raw: true });
  for await (const one of found) {
    const bytes = one as unknown as Uint8Array; // Raw cursors yield bytes.
    const { json, revision } = documentJson(bytes);
    const value = parseJson(json) as StoredRecord;
    const encoded = encodeRecord(after, { value, revision }, authorIn(bytes));
    await collection.replaceOne({ _id: new ObjectId(value._id) }, encoded, {
      session,
      ...MAX_TIME,
    });
  }
}

import { type ClientSession, type Collection, ObjectId } from "mongodb";
import { parseJson } from "../json_text.ts";
import type { Definition, StoredRecord } from "../port.ts";
import { datePaths } from "../shape.ts";
import { LIMITED } from "./connect.ts";
import { encodeRecord } from "./encode.ts";
import { documentJson } from "./bson_json/mod.ts";
import { authorIn } from "./raw_bson.ts";

/** What it works on, and how long the server may look for what is concerned. */
export interface Redating {
  readonly collection: Collection;
  readonly session: ClientSession;
  readonly queryTimeLimitMs: number;
}

/**
 * Stores the values of fields that became dates as dates, and those of fields that no longer are
 * as texts. Revisions stay: what is answered does not change.
 */
export async function redate(
  { collection, session, queryTimeLimitMs: maxTimeMS }: Redating,
  before: Definition,
  after: Definition,
): Promise<void> {
  const was = new Set(datePaths(before.fields));
  const is = new Set(datePaths(after.fields));
  const changed = [...was.symmetricDifference(is)];
  if (changed.length === 0) return;
  const concerned = { $or: changed.map((path) => ({ [path]: { $ne: null } })) };
  const found = collection.find(concerned, { session, maxTimeMS, raw: true });
  for await (const one of found) {
    const bytes = one as unknown as Uint8Array; // Because it is raw.
    const { json, revision } = documentJson(bytes);
    const value = parseJson(json) as StoredRecord;
    const encoded = encodeRecord(after, { value, revision }, authorIn(bytes));
    await collection.replaceOne({ _id: new ObjectId(value._id) }, encoded, {
      session,
      ...LIMITED,
    });
  }
}

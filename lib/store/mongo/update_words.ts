import { type AnyBulkWriteOperation, type Document, ObjectId } from "mongodb";
import { parseJson } from "../json_text.ts";
import type { Definition, StoredRecord } from "../port.ts";
import { searchPathsOf } from "../search.ts";
import { MAX_TIME } from "./connect.ts";
import { versionOf, wordsBson } from "./encode.ts";
import type { RecordConversion } from "./convert_dates.ts";
import { WORDS } from "./hidden_members.ts";
import { documentJson } from "./bson_json/mod.ts";

const WRITE_BATCH_MAX = 500;

/** Stores or removes the words of search fields in all records. Revisions do not change. */
export async function updateWords(
  conversion: RecordConversion,
  before: Definition | undefined,
  after: Definition,
): Promise<void> {
  const [was, is] = [before && searchPathsOf(before), searchPathsOf(after)];
  if (was?.join() === is.join()) return;
  if (is.length > 0) await storeWords(conversion, after);
  else await removeWords(conversion, after);
}

async function storeWords(
  { collection, session, queryTimeLimitMs: maxTimeMS }: RecordConversion,
  definition: Definition,
): Promise<void> {
  const searched = searchPathsOf(definition).map((path) => [path, 1] as const);
  const projection = Object.fromEntries(searched);
  const found = collection.find({ _id: { $type: "objectId" } }, {
    session,
    maxTimeMS,
    projection,
    raw: true,
  });
  let writes: AnyBulkWriteOperation<Document>[] = [];
  const write = async () => {
    if (writes.length > 0) await collection.bulkWrite(writes, { session, ordered: false });
    writes = [];
  };
  for await (const bytes of found) {
    const { json } = documentJson(bytes as unknown as Uint8Array); // Raw cursors yield bytes.
    const record = parseJson(json) as StoredRecord;
    const $set = { ...wordsBson(definition, record), ...versionOf(definition) };
    writes.push({ updateOne: { filter: { _id: new ObjectId(record._id) }, update: { $set } } });
    if (writes.length === WRITE_BATCH_MAX) await write();
  }
  await write();
}

async function removeWords(
  { collection, session }: RecordConversion,
  definition: Definition,
): Promise<void> {
  const update = { $unset: { [WORDS]: "" }, ...setting(versionOf(definition)) };
  await collection.updateMany({ [WORDS]: { $exists: true } }, update, {
    session,
    ...MAX_TIME,
  });
}

const setting = ($set: object): object => Object.keys($set).length === 0 ? {} : { $set };

import { type AnyBulkWriteOperation, type Document, ObjectId } from "mongodb";
import { parseJson } from "../json_text.ts";
import type { Definition, StoredRecord } from "../port.ts";
import { searchPathsOf } from "../search.ts";
import { LIMITED } from "./connect.ts";
import { versionOf, wordsBson } from "./encode.ts";
import type { Redating } from "./redate.ts";
import { WORDS } from "./hidden_members.ts";
import { documentJson } from "./bson_json/mod.ts";

const WRITTEN_AT_ONCE = 500;

/**
 * Keeps the words of the fields that are searched from now on, of all records, or none any more.
 * Revisions stay: what is answered does not change.
 */
export async function reword(
  redating: Redating,
  before: Definition | undefined,
  after: Definition,
): Promise<void> {
  const [was, is] = [before && searchPathsOf(before), searchPathsOf(after)];
  if (was?.join() === is.join()) return;
  if (is.length > 0) await keepWords(redating, after);
  else await forgetWords(redating, after);
}

async function keepWords(
  { collection, session, queryTimeLimitMs: maxTimeMS }: Redating,
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
    const { json } = documentJson(bytes as unknown as Uint8Array); // Because it is raw.
    const record = parseJson(json) as StoredRecord;
    const $set = { ...wordsBson(definition, record), ...versionOf(definition) };
    writes.push({ updateOne: { filter: { _id: new ObjectId(record._id) }, update: { $set } } });
    if (writes.length === WRITTEN_AT_ONCE) await write();
  }
  await write();
}

async function forgetWords(
  { collection, session }: Redating,
  definition: Definition,
): Promise<void> {
  const update = { $unset: { [WORDS]: "" }, ...setting(versionOf(definition)) };
  await collection.updateMany({ [WORDS]: { $exists: true } }, update, { session, ...LIMITED });
}

const setting = ($set: object): object => Object.keys($set).length === 0 ? {} : { $set };

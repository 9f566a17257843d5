import type { ObjectId } from "mongodb";
import type { Definition } from "../port.ts";
import { sortRenames } from "../renames.ts";
import { MAX_TIME } from "./connect.ts";
import { versionOf } from "./encode.ts";
import type { RecordConversion } from "./convert_dates.ts";
import { REVISION } from "./hidden_members.ts";

const RENAME_BATCH_MAX = 1_000;

/** Renames members of all records that have them, and gives these records a new revision. */
export async function renameMembers(
  { collection, session, queryTimeLimitMs: maxTimeMS }: RecordConversion,
  definition: Definition,
): Promise<void> {
  const renames = sortRenames(definition.renames ?? []);
  if (renames.length === 0) return;
  const affected = { $or: renames.map(({ from }) => ({ [from]: { $exists: true } })) };
  const version = versionOf(definition);
  const update = {
    $rename: Object.fromEntries(renames.map(({ from, to }) => [from, to])),
    $inc: { [REVISION]: 1 },
    ...(Object.keys(version).length > 0 && { $set: version }),
  };
  let last: ObjectId | null = null;
  for (;;) {
    const query = { ...affected, _id: { $type: "objectId" as const, ...(last && { $gt: last }) } };
    const found: { _id: ObjectId }[] = await collection.find<{ _id: ObjectId }>(query, {
      session,
      maxTimeMS,
      projection: { _id: 1 },
      sort: { _id: 1 },
      limit: RENAME_BATCH_MAX,
    }).toArray();
    const ids = found.map(({ _id }) => _id);
    if (ids.length > 0) {
      await collection.updateMany({ _id: { $in: ids } }, update, { session, ...MAX_TIME });
    }
    if (ids.length < RENAME_BATCH_MAX) return;
    last = ids.at(-1)!;
  }
}

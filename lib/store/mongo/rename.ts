import type { ObjectId } from "mongodb";
import type { Definition } from "../port.ts";
import { inOrder } from "../renames.ts";
import { LIMITED } from "./connect.ts";
import { versionOf } from "./encode.ts";
import type { Redating } from "./redate.ts";
import { REVISION } from "./hidden_members.ts";

const RENAMED_AT_ONCE = 1_000;

/** Renames the members of all records that have them, and gives each of these another revision. */
export async function renameMembers(
  { collection, session, queryTimeLimitMs: maxTimeMS }: Redating,
  definition: Definition,
): Promise<void> {
  const renames = inOrder(definition.renames ?? []);
  if (renames.length === 0) return;
  const concerned = { $or: renames.map(({ from }) => ({ [from]: { $exists: true } })) };
  const version = versionOf(definition);
  const update = {
    $rename: Object.fromEntries(renames.map(({ from, to }) => [from, to])),
    $inc: { [REVISION]: 1 },
    ...(Object.keys(version).length > 0 && { $set: version }),
  };
  let last: ObjectId | null = null;
  for (;;) {
    const query = { ...concerned, _id: { $type: "objectId" as const, ...(last && { $gt: last }) } };
    const found: { _id: ObjectId }[] = await collection.find<{ _id: ObjectId }>(query, {
      session,
      maxTimeMS,
      projection: { _id: 1 },
      sort: { _id: 1 },
      limit: RENAMED_AT_ONCE,
    }).toArray();
    const ids = found.map(({ _id }) => _id);
    if (ids.length > 0) {
      await collection.updateMany({ _id: { $in: ids } }, update, { session, ...LIMITED });
    }
    if (ids.length < RENAMED_AT_ONCE) return;
    last = ids.at(-1)!;
  }
}

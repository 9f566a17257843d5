import { type Db, ObjectId } from "mongodb";
import { actionOf, authorOf, type Writing } from "../changes.ts";
import { CHANGES_BYTES_MAX, CHANGES_MAX, CHANGES_MS } from "../../limits.ts";
import { bytesOf } from "../json_text.ts";
import type { Definition, Stored } from "../port.ts";
import { LIMITED } from "./connect.ts";
import { type Bson, encodeRecord } from "./encode.ts";

/**
 * In each space: what was changed or removed of records that are recorded. The server lets notes
 * expire. What is inserted is a note of itself (`newAuthor`).
 */
export const CHANGES: Definition = {
  name: "_changes",
  fields: {
    name: { type: "String" },
    recordId: { type: "String" },
    action: { type: "String" },
    actorKind: { type: "String" },
    actorId: { type: "String" },
    at: { type: "Date" },
    expiresAt: { type: "Date" },
    before: { type: "String" },
    after: { type: "String" },
  },
  indexes: [],
  trash: false,
  expiry: "expiresAt",
};

/** A change of a record that was there, or its end. */
interface Rewritten {
  readonly before: Stored;
  readonly after: Stored | null;
}

/** The note of what was written, and how many bytes of texts it holds. */
export function noteOf(
  definition: Definition,
  writing: Writing,
  { before, after }: Rewritten,
): { readonly note: Bson; readonly bytes: number } {
  const { actor, at } = authorOf(definition, writing);
  const value = {
    _id: new ObjectId().toHexString(),
    name: definition.recordedAs ?? definition.name,
    recordId: before.value._id,
    action: actionOf(before.value, after && after.value),
    actorKind: actor.kind,
    actorId: actor.id,
    at,
    expiresAt: new Date(Date.parse(at) + CHANGES_MS).toISOString(),
    before: before.json,
    after: after && after.json,
  };
  const note = encodeRecord(CHANGES, { value, revision: 1 });
  return { note, bytes: bytesOf(before.json) + (after === null ? 0 : bytesOf(after.json)) };
}

/** In the control database, beside notes; it is none. */
export interface Mark {
  readonly _id: "mark";
  readonly set: ObjectId;
}

/**
 * Commits something that change streams tell of: whoever has read that far has seen all that was
 * committed before this was called. Resolves to what tells it from the marks of others.
 */
export async function setMark(control: Db): Promise<ObjectId> {
  const set = new ObjectId();
  await control.collection<Mark>(CHANGES.name)
    .replaceOne({ _id: "mark" }, { set }, { upsert: true, ...LIMITED });
  return set;
}

const REMOVED_AT_ONCE = 1_000;

/** How many of them are kept, and of how many bytes. */
export interface NotesKept {
  readonly max: number;
  readonly bytesMax: number;
}

const KEPT: NotesKept = { max: CHANGES_MAX, bytesMax: CHANGES_BYTES_MAX };

/**
 * Removes the oldest of those that are too many or too large; resolves to how many. Who follows
 * them loses nothing: change streams tell what was inserted, whether it is still there or not.
 */
export async function trimChanges(db: Db, kept = KEPT): Promise<number> {
  const notes = db.collection(CHANGES.name);
  let removed = 0;
  for (let excess = await excessOf(db, kept); excess > 0;) {
    const oldest = await notes.find({}, { projection: { _id: 1 }, ...LIMITED })
      .sort({ _id: 1 }).limit(Math.min(excess, REMOVED_AT_ONCE)).toArray();
    if (oldest.length === 0) break;
    const these = { _id: { $in: oldest.map(({ _id }) => _id) } };
    removed += (await notes.deleteMany(these, LIMITED)).deletedCount;
    excess -= oldest.length;
  }
  return removed;
}

/** About how many there are too many. */
async function excessOf(db: Db, { max, bytesMax }: NotesKept): Promise<number> {
  const [stats] = await db.collection(CHANGES.name)
    .aggregate([{ $collStats: { storageStats: {} } }], LIMITED).toArray().catch(() => []);
  const { count = 0, size = 0 } = stats?.storageStats ?? {};
  const tooLarge = size > bytesMax ? Math.ceil(count * (1 - bytesMax / size)) : 0;
  return Math.max(count - max, tooLarge);
}

import { type Db, ObjectId } from "mongodb";
import {
  actionOf,
  type Actor,
  authorOf,
  type Authorship,
  type RecordedChange,
  type Writing,
} from "../changes.ts";
import { CHANGES_BYTES_MAX, CHANGES_MAX, CHANGES_MS } from "../../limits.ts";
import { bytesOf } from "../json_text.ts";
import type { Definition, Stored, WrittenRecord } from "../port.ts";
import { LIMITED } from "./connect.ts";
import { type Bson, encodeRecord } from "./encode.ts";

/** In each space: what was written to records that are recorded. The server lets them expire. */
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

/** The notes of what was written, and how many bytes of texts they hold. */
export function notesOf(
  definition: Definition,
  writing: Writing,
  written: readonly WrittenRecord[],
): { readonly notes: Bson[]; readonly bytes: number } {
  const by = authorOf(definition, writing);
  const bytes = written.reduce((sum, { before, after }) => sum + sizeOf(before) + sizeOf(after), 0);
  return { notes: written.map((one) => noteOf(definition, one, by)), bytes };
}

const sizeOf = (stored: Stored | null): number => stored === null ? 0 : bytesOf(stored.json);

function noteOf(
  { name, recordedAs = name }: Definition,
  { before, after }: WrittenRecord,
  { actor, at }: Authorship,
): Bson {
  return encodeRecord(CHANGES, {
    _id: new ObjectId().toHexString(),
    name: recordedAs,
    recordId: (after ?? before)!.value._id,
    action: actionOf(before && before.value, after && after.value),
    actorKind: actor.kind,
    actorId: actor.id,
    at,
    expiresAt: new Date(Date.parse(at) + CHANGES_MS).toISOString(),
    before: before && before.json,
    after: after && after.json,
  }, 1);
}

/** A note as the driver reads it. */
export type Note =
  & Pick<RecordedChange, "name" | "recordId" | "action" | "before" | "after">
  & {
    readonly actorKind: Actor["kind"];
    readonly actorId: string | null;
    readonly at: Date;
  };

export const changeOf = (note: Note): RecordedChange => ({
  name: note.name,
  recordId: note.recordId,
  action: note.action,
  actor: { kind: note.actorKind, id: note.actorId } as Actor, // As it was noted.
  at: note.at.toISOString(),
  before: note.before,
  after: note.after,
});

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

export const isMark = (told: Note | Mark): told is Mark => "set" in told;

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

import { type Db, ObjectId } from "mongodb";
import { actionOf, authorOf, type WriteOptions } from "../changes.ts";
import { CHANGES_BYTES_MAX, CHANGES_MAX, CHANGES_MS } from "../../limits.ts";
import { bytesOf } from "../json_text.ts";
import type { Definition, Stored } from "../port.ts";
import { MAX_TIME } from "./connect.ts";
import { type Bson, encodeRecord } from "./encode.ts";

/**
 * The change log of a space: entries of changed and removed records of recorded kinds. The server
 * deletes expired entries. An inserted record has no entry; it contains its author (see
 * `newAuthor`).
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

interface RecordRewrite {
  readonly before: Stored;
  readonly after: Stored | null;
}

/** Returns the change log entry of a write, and the size of its texts in bytes. */
export function changeEntry(
  definition: Definition,
  writing: WriteOptions,
  { before, after }: RecordRewrite,
): { readonly entry: Bson; readonly bytes: number } {
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
  const entry = encodeRecord(CHANGES, { value, revision: 1 });
  return { entry, bytes: bytesOf(before.json) + (after === null ? 0 : bytesOf(after.json)) };
}

/** A mark in the control database, which is stored among entries. */
export interface Mark {
  readonly _id: "mark";
  readonly set: ObjectId;
}

/** Commits an event that streams deliver after all earlier commits. Resolves to its id. */
export async function setMark(control: Db): Promise<ObjectId> {
  const set = new ObjectId();
  await control.collection<Mark>(CHANGES.name)
    .replaceOne({ _id: "mark" }, { set }, { upsert: true, ...MAX_TIME });
  return set;
}

const DELETE_BATCH_MAX = 1_000;

export interface EntryLimits {
  readonly max: number;
  readonly bytesMax: number;
}

const LIMITS: EntryLimits = { max: CHANGES_MAX, bytesMax: CHANGES_BYTES_MAX };

/**
 * Deletes the oldest entries beyond the limits. Resolves to the number of deleted entries.
 * Followers lose nothing, because change streams deliver inserted documents even after they are
 * deleted.
 */
export async function trimChanges(db: Db, kept = LIMITS): Promise<number> {
  const entries = db.collection(CHANGES.name);
  let removed = 0;
  for (let excess = await excessOf(db, kept); excess > 0;) {
    const oldest = await entries.find({}, { projection: { _id: 1 }, ...MAX_TIME })
      .sort({ _id: 1 }).limit(Math.min(excess, DELETE_BATCH_MAX)).toArray();
    if (oldest.length === 0) break;
    const these = { _id: { $in: oldest.map(({ _id }) => _id) } };
    removed += (await entries.deleteMany(these, MAX_TIME)).deletedCount;
    excess -= oldest.length;
  }
  return removed;
}

async function excessOf(db: Db, { max, bytesMax }: EntryLimits): Promise<number> {
  const [stats] = await db.collection(CHANGES.name)
    .aggregate([{ $collStats: { storageStats: {} } }], MAX_TIME).toArray().catch(() => []);
  const { count = 0, size = 0 } = stats?.storageStats ?? {};
  const tooLarge = size > bytesMax ? Math.ceil(count * (1 - bytesMax / size)) : 0;
  return Math.max(count - max, tooLarge);
}

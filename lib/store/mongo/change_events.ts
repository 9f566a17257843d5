/** Change stream events of recorded changes. */

import { BSON, type Document, type ObjectId, type Timestamp } from "mongodb";
import { CHANGES_MS } from "../../limits.ts";
import type { Actor, RecordedChange } from "../changes.ts";
import { CHANGES, type Mark } from "./changes.ts";
import { AUTHOR, type AuthorBson } from "./hidden_members.ts";
import { documentJson } from "./bson_json/mod.ts";

/** A change stream event: a written entry or mark, or an inserted record with its author. */
export type ChangeEvent = {
  readonly ns: { readonly db: string; readonly coll: string };
  /** Time of the commit. Always present on a replica set. */
  readonly clusterTime: Timestamp;
  readonly documentKey: { readonly _id: ObjectId };
  /** The author of an inserted record; not present for entries and marks. */
  readonly author?: AuthorBson;
  readonly written: readonly [Uint8Array];
};

const WRITTEN = "written";

/**
 * The pipeline of change streams. The document is wrapped in a list, because only then the driver
 * returns its raw bytes, from which the record's text is made.
 */
export const CHANGE_EVENTS: Document[] = [
  {
    $match: {
      $or: [
        // Entries are inserted, and a mark replaces the previous one.
        { operationType: { $in: ["insert", "replace"] }, "ns.coll": CHANGES.name },
        // Other programs may have written any value to this member.
        {
          operationType: "insert",
          "documentKey._id": { $type: "objectId" },
          [`fullDocument.${AUTHOR}.3`]: { $type: "date" },
          [`fullDocument.${AUTHOR}.4`]: { $type: "objectId" },
        },
      ],
    },
  },
  { $set: { author: `$fullDocument.${AUTHOR}`, [WRITTEN]: ["$fullDocument"] } },
  { $unset: "fullDocument" },
];

export const AS_BYTES = { fieldsAsRaw: { [WRITTEN]: true } };

interface StoredEntry
  extends Pick<RecordedChange, "name" | "recordId" | "action" | "before" | "after"> {
  readonly actorKind: Actor["kind"];
  readonly actorId: string | null;
  readonly at: Date;
}

/** Returns the change or the mark of an event; null for a restored copy of a record. */
export function readChangeEvent(event: ChangeEvent): RecordedChange | Mark | null {
  const { author, documentKey, written: [bytes] } = event;
  if (author !== undefined) {
    const [name, kind, id, at, insertId] = author;
    if (isRestoredCopy(insertId, event.clusterTime)) return null;
    return {
      name,
      recordId: documentKey._id.toHexString(),
      action: "created",
      ...authorshipOf(kind, id, at),
      before: null,
      after: documentJson(bytes).json,
    };
  }
  const entry = BSON.deserialize(bytes) as StoredEntry | Mark;
  if ("set" in entry) return entry;
  const { name, recordId, action, actorKind, actorId, at, before, after } = entry;
  return { name, recordId, action, ...authorshipOf(actorKind, actorId, at), before, after };
}

/**
 * Whether an inserted record is a restored copy, whose creation was delivered long ago. Clocks are
 * assumed to differ by less than the lifetime of an entry.
 */
const isRestoredCopy = (insertId: ObjectId, inserted: Timestamp): boolean =>
  inserted.getHighBitsUnsigned() * 1000 - insertId.getTimestamp().getTime() > CHANGES_MS;

const authorshipOf = (kind: Actor["kind"], id: string | null, at: Date) => ({
  actor: { kind, id } as Actor, // Corbel has written it.
  at: at.toISOString(),
});

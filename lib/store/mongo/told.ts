/** What change streams tell of recorded changes. */

import { BSON, type Document, type ObjectId, type Timestamp } from "mongodb";
import { CHANGES_MS } from "../../limits.ts";
import type { Actor, RecordedChange } from "../changes.ts";
import { CHANGES, type Mark } from "./changes.ts";
import { AUTHOR, type AuthorBson } from "./hidden_members.ts";
import { documentJson } from "./bson_json/mod.ts";

/** A note or a mark that was written, or a record that was inserted with its author. */
export type Told = {
  readonly ns: { readonly db: string; readonly coll: string };
  /** On a replica set. */
  readonly clusterTime: Timestamp;
  readonly documentKey: { readonly _id: ObjectId };
  /** Only of a record. */
  readonly author?: AuthorBson;
  /** The bytes of what was written. */
  readonly written: readonly [Uint8Array];
};

const WRITTEN = "written";

/**
 * What a stream is asked for. It is only what stands in a list that the driver hands over as the
 * bytes it got, which a record's text is made of.
 */
export const TOLD: Document[] = [
  {
    $match: {
      $or: [
        // Notes are inserted; a mark takes the place of the one before.
        { operationType: { $in: ["insert", "replace"] }, "ns.coll": CHANGES.name },
        // Other programs may have written anything there.
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

/** A note's fields, as the driver reads them. */
interface Note extends Pick<RecordedChange, "name" | "recordId" | "action" | "before" | "after"> {
  readonly actorKind: Actor["kind"];
  readonly actorId: string | null;
  readonly at: Date;
}

/** What was told, or the mark that was set; null for a copy that was brought back. */
export function readTold(told: Told): RecordedChange | Mark | null {
  const { author, documentKey, written: [bytes] } = told;
  if (author !== undefined) {
    const [name, kind, id, at, made] = author;
    if (isCopy(made, told.clusterTime)) return null;
    return {
      name,
      recordId: documentKey._id.toHexString(),
      action: "created",
      ...byOf(kind, id, at),
      before: null,
      after: documentJson(bytes).json,
    };
  }
  const note = BSON.deserialize(bytes) as Note | Mark;
  if ("set" in note) return note;
  const { name, recordId, action, actorKind, actorId, at, before, after } = note;
  return { name, recordId, action, ...byOf(actorKind, actorId, at), before, after };
}

/**
 * Whoever restores a project inserts what was told long ago. Clocks are not expected to differ by as
 * long as a note is kept.
 */
const isCopy = (made: ObjectId, inserted: Timestamp): boolean =>
  inserted.getHighBitsUnsigned() * 1000 - made.getTimestamp().getTime() > CHANGES_MS;

const byOf = (kind: Actor["kind"], id: string | null, at: Date) => ({
  actor: { kind, id } as Actor, // As it was written.
  at: at.toISOString(),
});

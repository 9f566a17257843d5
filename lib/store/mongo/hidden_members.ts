/** Members that Corbel adds to what it stores. No name in a document begins with a space. */

import type { ObjectId } from "mongodb";
import type { Actor } from "../changes.ts";

/** The document's revision. */
export const REVISION = " rev";

/** The version of the definition that the document was written under. */
export const VERSION = " def";

/** The words of the document's search fields. */
export const WORDS = " words";

/** Who has made the document, of what kind of record, and when, where that is recorded. */
export const AUTHOR = " by";

/**
 * A list, in which no names take room: what the record is noted under, the kind and id of who, and
 * when; at last an id of the moment by the system's clock, by which a copy is told from the original.
 */
export type AuthorBson = readonly [
  name: string,
  kind: Actor["kind"],
  id: string | null,
  at: Date,
  made: ObjectId,
];

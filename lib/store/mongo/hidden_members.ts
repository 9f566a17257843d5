/** Members that Corbel adds to stored documents. Names in documents never begin with a space. */

import type { ObjectId } from "mongodb";
import type { Actor } from "../changes.ts";

/** The document's revision. */
export const REVISION = " rev";

/** The version of the definition that the document was written under. */
export const VERSION = " def";

/** The words of the document's search fields. */
export const WORDS = " words";

/** The author of the document, if its kind is recorded. */
export const AUTHOR = " by";

/**
 * The name under which the record is recorded, the kind and id of the author, the time, and an id
 * with the time of the system clock, which distinguishes a restored copy from the original. A list
 * saves the space of member names.
 */
export type AuthorBson = readonly [
  name: string,
  kind: Actor["kind"],
  id: string | null,
  at: Date,
  insertId: ObjectId,
];

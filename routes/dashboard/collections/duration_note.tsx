import { texts } from "../texts/mod.ts";
import type { CollectionPage } from "./collection_page.ts";

/** With fewer documents, a change of the definition is done within a second. */
const MANY_DOCUMENTS = 100_000;
/** How many documents a change looks at, and gives new columns and indexes, in one second. */
const DOCUMENTS_PER_SECOND = 100_000;

/** Says how long a change of the definition may take, where the collection has many documents. */
export const DurationNote = (
  { page: { frame, collection, canEdit } }: { page: CollectionPage },
) => {
  const count = frame.collections.find(({ name }) => name === collection.name)?.count ?? 0;
  if (!canEdit || count <= MANY_DOCUMENTS) return null;
  const seconds = Math.ceil(count / DOCUMENTS_PER_SECOND);
  return <p class="note">{texts().collections.changeTakes(count, seconds)}</p>;
};

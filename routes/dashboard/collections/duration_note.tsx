import { texts } from "../texts/mod.ts";
import type { CollectionPage } from "./collection_page.ts";

/** Number of documents up to which a change of the definition takes less than a second. */
const MANY_DOCUMENTS = 100_000;
/** Number of documents that a change of the definition processes per second. */
const DOCUMENTS_PER_SECOND = 100_000;

/** Note about the duration of changes of the definition, for a collection with many documents. */
export const DurationNote = (
  { page: { frame, collection, canEdit } }: { page: CollectionPage },
) => {
  const count = frame.collections.find(({ name }) => name === collection.name)?.count ?? 0;
  if (!canEdit || count <= MANY_DOCUMENTS) return null;
  const seconds = Math.ceil(count / DOCUMENTS_PER_SECOND);
  return <p class="note">{texts().collections.changeTakes(count, seconds)}</p>;
};

import { type Cursors, digestOf, readCursor } from "./cursor.ts";
import type { Filter, Id, Records, SortKey, StoredRecord } from "../store/port.ts";

/** What a list of Corbel's own records (users, sessions, files) is asked for. */
export interface PageRequest {
  readonly limit: number;
  /** Where the page before ended; left out for the first. */
  readonly cursor?: string | undefined;
}

/** The newest first. */
const SORT: readonly SortKey[] = [{ path: "createdAt", descending: true }];

export interface RecordPage<T> {
  readonly items: T[];
  readonly nextCursor: string | null;
}

interface Listed<T extends StoredRecord> {
  readonly projectId: Id;
  /** Names the list: a cursor of another one is refused. */
  readonly name: string;
  readonly records: Records<T>;
  /** What the list was asked for: a cursor goes with it. */
  readonly asked: Filter;
  /** What matches at present, `asked` included. */
  readonly filter: Filter;
}

/** One page, from the beginning or behind a cursor. Throws `INVALID_CURSOR`. */
export async function readPage<T extends StoredRecord>(
  { cursors }: { cursors: Cursors },
  { projectId, name, records, asked, filter }: Listed<T>,
  { limit, cursor }: PageRequest,
): Promise<RecordPage<T>> {
  const scope = digestOf({ projectId, collection: name, callerTag: "", filter: asked, sort: SORT });
  const list = { records, filter, sort: SORT };
  const behind = cursor === undefined
    ? {}
    : await readCursor(cursors, { text: cursor, scope, list });
  const page = await records.list({ filter, sort: SORT, limit, ...behind });
  const from = page.last();
  return {
    items: page.records(),
    nextCursor: page.more && from !== null
      ? cursors.write({ from, backwards: false }, scope)
      : null,
  };
}

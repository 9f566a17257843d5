import { type Cursors, readCursor, scopeDigest } from "./cursor.ts";
import { ALL, and } from "../store/filter.ts";
import type { Definition, Engine, Filter, SortKey, Space, StoredRecord } from "../store/port.ts";

/** Request for a page of Corbel's own records, such as users, sessions or files. */
export interface PageRequest {
  readonly limit: number;
  /** The `nextCursor` of the previous page; left out for the first page. */
  readonly cursor?: string | undefined;
}

const SORT: readonly SortKey[] = [{ path: "createdAt", descending: true }];

export interface RecordPage<T> {
  readonly items: T[];
  readonly nextCursor: string | null;
}

interface PagedRecords {
  readonly space: Space;
  readonly definition: Definition;
  /** Conditions of the list. Cursors are valid for these conditions only. */
  readonly filter?: Filter;
  /** Further conditions that may change between pages, so that cursors do not depend on them. */
  readonly visible?: Filter;
}

/** Reads a page of records, newest first. Throws `INVALID_CURSOR`. */
export async function readPage<T extends StoredRecord>(
  { engine, cursors }: { engine: Engine; cursors: Cursors },
  { space, definition, filter: conditions = ALL, visible = ALL }: PagedRecords,
  { limit, cursor }: PageRequest,
): Promise<RecordPage<T>> {
  const records = engine.records<T>(space, definition);
  const filter = and(conditions, visible);
  const scope = scopeDigest({
    projectId: space,
    collection: definition.name,
    callerTag: "",
    filter: conditions,
    sort: SORT,
  });
  const list = { records, filter, sort: SORT };
  const position = cursor === undefined
    ? {}
    : await readCursor(cursors, { text: cursor, scope, list });
  const page = await records.list({ filter, sort: SORT, limit, ...position });
  const from = page.last();
  return {
    items: page.records(),
    nextCursor: page.more && from !== null
      ? cursors.write({ from, backwards: false }, scope)
      : null,
  };
}

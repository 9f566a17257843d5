import { type Cursors, digestOf, readCursor } from "./cursor.ts";
import { ALL, and } from "../store/filter.ts";
import type { Definition, Engine, Filter, SortKey, Space, StoredRecord } from "../store/port.ts";

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

interface Listed {
  readonly space: Space;
  /** Its name is a part of the list: a cursor of another one is refused. */
  readonly definition: Definition;
  /** All of them, if left out. A cursor goes with it. */
  readonly asked?: Filter;
  /** What of it is shown at present: a cursor outlives that. All of it, if left out. */
  readonly present?: Filter;
}

/** One page, from the beginning or behind a cursor. Throws `INVALID_CURSOR`. */
export async function readPage<T extends StoredRecord>(
  { engine, cursors }: { engine: Engine; cursors: Cursors },
  { space, definition, asked = ALL, present = ALL }: Listed,
  { limit, cursor }: PageRequest,
): Promise<RecordPage<T>> {
  const records = engine.records<T>(space, definition);
  const filter = and(asked, present);
  const scope = digestOf({
    projectId: space,
    collection: definition.name,
    callerTag: "",
    filter: asked,
    sort: SORT,
  });
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

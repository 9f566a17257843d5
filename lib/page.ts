import { type Cursors, digestOf, readCursor } from "./documents/cursor.ts";
import { shown } from "./documents/names.ts";
import { wholeNumber } from "./documents/query.ts";
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from "./limits.ts";
import { Problem } from "./problems.ts";
import type { Filter, Id, Records, SortKey, StoredRecord } from "./store/port.ts";

/** What a list of Corbel's own records (users, sessions, files) is asked for. */
export interface PageRequest<Name extends string = never> {
  readonly limit: number;
  readonly cursor: string | null;
  /** The list's own parameters; null where one is not given. */
  readonly parameters: Readonly<Record<Name, string | null>>;
}

/** Throws `INVALID_QUERY` for what is unknown, malformed or given twice. */
export function parsePageQuery<const Name extends string = never>(
  text: string,
  names: readonly Name[] = [],
): PageRequest<Name> {
  const known = ["limit", "cursor", ...names];
  const given = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (!known.includes(name)) {
      throw refuse(name, `is not a parameter of this list: use ${known.join(", ")}`);
    }
    if (given.has(name)) throw refuse(name, "is given more than once");
    given.set(name, value);
  }
  return {
    limit: wholeNumber("limit", given.get("limit"), LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX),
    cursor: given.get("cursor") ?? null,
    parameters: Object.fromEntries(
      names.map((name) => [name, given.get(name) ?? null]),
    ) as Record<Name, string | null>, // Object.fromEntries forgets its keys.
  };
}

const refuse = (name: string, why: string) =>
  new Problem("INVALID_QUERY", { message: `${shown(name)} ${why}.` });

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
  { limit, cursor }: Pick<PageRequest, "limit" | "cursor">,
): Promise<RecordPage<T>> {
  const scope = digestOf({ projectId, collection: name, callerTag: "", filter: asked, sort: SORT });
  const list = { records, filter, sort: SORT };
  const behind = cursor === null ? {} : await readCursor(cursors, { text: cursor, scope, list });
  const page = await records.list({ filter, sort: SORT, limit, ...behind });
  const from = page.last();
  return {
    items: page.records(),
    nextCursor: page.more && from !== null
      ? cursors.write({ from, backwards: false }, scope)
      : null,
  };
}

/** Iteration over pages of records, independent of the engine. */

import { createTurnTaker } from "../next_turn.ts";
import type { FindQuery, ListQuery, Page, Records, StoredRecord } from "./port.ts";

type ListableRecords<T extends StoredRecord> = Pick<Records<T>, "list">;

const PAGE_RECORDS_MAX = 500;
/** Maximum size of a page in bytes. All records of a page are parsed at once. */
const PAGE_BYTES = 2 * 1_048_576;

/**
 * Yields all pages of a list. A page is read after the previous one has been processed, and long
 * iterations yield to other requests. Records that are written during the iteration may be missing
 * or may appear twice.
 *
 * @param nextLimit Returns the maximum number of records of the page after the given one; 0 ends
 *   the iteration. Unchanged by default.
 */
export async function* pagesOf<T extends StoredRecord>(
  records: ListableRecords<T>,
  query: ListQuery,
  nextLimit: (page: Page<T>, limit: number) => number = (_page, limit) => limit,
): AsyncGenerator<Page<T>> {
  const { offset: _offset, total: _total, ...rest } = query;
  const takeTurns = createTurnTaker();
  let { limit } = query;
  for (let page = await records.list(query);;) {
    yield page;
    await takeTurns();
    const from = query.backwards ? page.first() : page.last();
    if (!page.more || from === null) return;
    limit = nextLimit(page, limit);
    if (limit === 0) return;
    page = await records.list({ ...rest, limit, from });
  }
}

/** Implements {@linkcode Records.find} by lists. */
export async function* recordsOf<T extends StoredRecord>(
  records: ListableRecords<T>,
  { filter, sort = [], limit: left = Infinity }: FindQuery,
): AsyncGenerator<T> {
  const query = { filter, sort, limit: Math.min(left, PAGE_RECORDS_MAX), bytesMax: PAGE_BYTES };
  const nextLimit = (page: Page<T>) => Math.min(left -= page.size, PAGE_RECORDS_MAX);
  for await (const page of pagesOf(records, query, nextLimit)) yield* page.records();
}

/** The one way through pages of records, on every engine. */

import { turnTaker } from "../next_turn.ts";
import type { FindQuery, ListQuery, Page, Records, StoredRecord } from "./port.ts";

type Listing<T extends StoredRecord> = Pick<Records<T>, "list">;

const PAGE = 500;
/** Records of one page are parsed at once. */
const PAGE_BYTES = 2 * 1_048_576;

/**
 * Page after page to the end of the list; the next one is read when the last has been dealt with,
 * and other requests go first where that takes long. Records that are written meanwhile may be
 * missing, or on two pages.
 *
 * @param nextLimit How many records the page behind this one may hold; ends the walk with 0. As
 * many as before if left out.
 */
export async function* pagesOf<T extends StoredRecord>(
  records: Listing<T>,
  query: ListQuery,
  nextLimit: (page: Page<T>, limit: number) => number = (_page, limit) => limit,
): AsyncGenerator<Page<T>> {
  const { offset: _offset, total: _total, ...rest } = query;
  const takeTurns = turnTaker();
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

/** What {@linkcode Records.find} promises, by means of its lists. */
export async function* recordsOf<T extends StoredRecord>(
  records: Listing<T>,
  { filter, sort = [], limit: left = Infinity }: FindQuery,
): AsyncGenerator<T> {
  const query = { filter, sort, limit: Math.min(left, PAGE), bytesMax: PAGE_BYTES };
  const nextLimit = (page: Page<T>) => Math.min(left -= page.size, PAGE);
  for await (const page of pagesOf(records, query, nextLimit)) yield* page.records();
}

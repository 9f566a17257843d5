import type { ListQuery, Page, Records, StoredRecord } from "../store/port.ts";

/**
 * A page in parts that hold little memory, for those who make something smaller of its records: the
 * next part is read when the last one has been dealt with. Records that are written meanwhile may
 * be missing, or in two parts, as from page to page.
 *
 * @param bytesMax Of one part. Small records all come in the first.
 */
export async function* stepsOf<T extends StoredRecord>(
  records: Records<T>,
  query: ListQuery,
  bytesMax: number,
): AsyncGenerator<Page> {
  let page = await records.list({ ...query, bytesMax });
  const { offset: _offset, total: _total, ...rest } = query;
  let left = query.limit;
  for (;;) {
    yield page;
    left -= page.size;
    const from = query.backwards ? page.first() : page.last();
    if (!page.more || left === 0 || from === null) return;
    // About as many as fit: MongoDB sends what is asked for, whether or not it is wanted.
    const limit = Math.min(left, 2 * page.size);
    page = await records.list({ ...rest, limit, from, bytesMax });
  }
}

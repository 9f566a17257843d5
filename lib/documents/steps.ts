import { pagesOf } from "../store/pages.ts";
import type { ListQuery, Page, Records, StoredRecord } from "../store/port.ts";

/**
 * A page in parts that hold little memory, for those who make something smaller of its records: the
 * next part is read when the last one has been dealt with. Records that are written meanwhile may
 * be missing, or in two parts, as from page to page.
 *
 * @param bytesMax Of one part. Small records all come in the first.
 */
export function stepsOf<T extends StoredRecord>(
  records: Pick<Records<T>, "list">,
  query: ListQuery,
  bytesMax: number,
): AsyncGenerator<Page<T>> {
  let left = query.limit;
  // About as many as fit: MongoDB sends what is asked for, whether or not it is wanted.
  const nextLimit = ({ size }: Page<T>) => Math.min(left -= size, 2 * size);
  return pagesOf(records, { ...query, bytesMax }, nextLimit);
}

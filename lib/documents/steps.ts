import { pagesOf } from "../store/pages.ts";
import type { ListQuery, Page, Records, StoredRecord } from "../store/port.ts";

/**
 * Reads a page in parts of up to `bytesMax` bytes, each after the caller has processed the previous
 * part. Records that are written in the meantime may be missing or occur twice.
 */
export function readInSteps<T extends StoredRecord>(
  records: Pick<Records<T>, "list">,
  query: ListQuery,
  bytesMax: number,
): AsyncGenerator<Page<T>> {
  let left = query.limit;
  // Requests about as many records as fit, because MongoDB sends all requested records.
  const nextLimit = ({ size }: Page<T>) => Math.min(left -= size, 2 * size);
  return pagesOf(records, { ...query, bytesMax }, nextLimit);
}

import { parseJson } from "../store/json_text.ts";
import type { Filter, Records, SortKey, StoredRecord } from "../store/port.ts";
import type { Blobs, ListedBlob, Place } from "./blobs.ts";

const PAGE = 500;

/** All matches in the order of the sort, a page in memory at a time. */
export async function* walkRecords<T extends StoredRecord>(
  records: Records<T>,
  query: { filter: Filter; sort: readonly SortKey[] },
): AsyncGenerator<T> {
  const first = { ...query, limit: PAGE };
  for (let page = await records.list(first);;) {
    yield* parseJson(`[${page.items}]`) as T[];
    const from = page.last();
    if (!page.more || from === null) return;
    page = await records.list({ ...first, from });
  }
}

/** Pages of all objects of a place in the order of their paths; some may be empty. */
export async function* walkBlobPages(
  blobs: Blobs,
  place: Place,
  prefix: string,
): AsyncGenerator<readonly ListedBlob[]> {
  for (let after: string | null = null;;) {
    const page = await blobs.list(place, { prefix, after, limit: PAGE });
    yield page.blobs;
    if (page.next === null) return;
    after = page.next;
  }
}

/** The same, one by one. */
export async function* walkBlobs(
  blobs: Blobs,
  place: Place,
  prefix: string,
): AsyncGenerator<ListedBlob> {
  for await (const page of walkBlobPages(blobs, place, prefix)) yield* page;
}

import type { Blobs, ListedBlob, Place } from "./blobs.ts";

const PAGE = 500;

/**
 * Pages of all objects of a place in the order of their paths; some may be empty. A store is asked
 * for no page after `stopped`.
 */
export async function* walkBlobPages(
  blobs: Blobs,
  place: Place,
  prefix: string,
  stopped: () => boolean = () => false,
): AsyncGenerator<readonly ListedBlob[]> {
  for (let after: string | null = null; !stopped();) {
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

import type { BlobPlace, Blobs, ListedBlob } from "./blobs.ts";

const PAGE = 500;

/** Yields the objects of a place in pages, which may be empty, ordered by path. */
export async function* walkBlobPages(
  blobs: Blobs,
  place: BlobPlace,
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

export async function* walkBlobs(
  blobs: Blobs,
  place: BlobPlace,
  prefix: string,
): AsyncGenerator<ListedBlob> {
  for await (const page of walkBlobPages(blobs, place, prefix)) yield* page;
}

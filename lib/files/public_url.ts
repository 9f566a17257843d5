import type { Id } from "../store/port.ts";
import { isSized } from "./picture_size.ts";
import type { BlobStores } from "./stores.ts";
import { placeOf, type UploadRecord } from "./uploads.ts";

/** Null for a private file, and where the store has no public address. */
export async function publicUrlOf(
  { blobStores }: { readonly blobStores: BlobStores },
  projectId: Id,
  row: UploadRecord,
): Promise<string | null> {
  const blobs = await blobStores.named(projectId, row.target);
  return placeOf(row) === "stored" ? blobs.publicUrl(row.path) : null;
}

/**
 * Where sizes of a picture are served; null for what is none.
 * @param expiresAt Of a private one, until when; null for an address of a public one alone.
 */
export function sizesUrlOf(
  { blobStores }: { readonly blobStores: BlobStores },
  row: UploadRecord,
  expiresAt: number | null = null,
): string | null {
  if (!isSized(row.contentType)) return null;
  if (placeOf(row) === "stored") return blobStores.sizesUrl(row.path, null);
  return expiresAt === null ? null : blobStores.sizesUrl(row.path, expiresAt);
}

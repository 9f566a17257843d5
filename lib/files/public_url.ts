import type { Id } from "../store/port.ts";
import { isResizable } from "./picture_size.ts";
import type { BlobStores } from "./stores.ts";
import { filePlaceOf, type UploadRecord } from "./uploads.ts";

/** Returns a file's public URL; null if the file is private or its store has no public URL. */
export async function publicUrlOf(
  { blobStores }: { readonly blobStores: BlobStores },
  projectId: Id,
  row: UploadRecord,
): Promise<string | null> {
  const blobs = await blobStores.blobsOf(projectId, row.target);
  return filePlaceOf(row) === "stored" ? blobs.publicUrl(row.path) : null;
}

/** Returns null if the file cannot be resized, or is private without `expiresAt` (milliseconds). */
export function sizesUrlOf(
  { blobStores }: { readonly blobStores: BlobStores },
  row: UploadRecord,
  expiresAt: number | null = null,
): string | null {
  if (!isResizable(row.contentType)) return null;
  if (filePlaceOf(row) === "stored") return blobStores.sizesUrl(row.path, null);
  return expiresAt === null ? null : blobStores.sizesUrl(row.path, expiresAt);
}

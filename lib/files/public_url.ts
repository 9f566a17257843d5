import type { Id } from "../store/port.ts";
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

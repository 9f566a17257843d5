import { Problem } from "../problems.ts";
import type { Clock } from "../clock.ts";
import type { Engine, Id } from "../store/port.ts";
import { sizesUrlOf } from "./public_url.ts";
import type { BlobStores } from "./stores.ts";
import { filePlaceOf, type FileScope, findInScope, type UploadRecord } from "./uploads.ts";

export interface SignedFile {
  readonly url: string;
  /** Signed URL of resized versions; null if the file is not a picture that can be resized. */
  readonly sizesUrl: string | null;
  readonly expiresAt: string;
}

/** Signs URLs of a confirmed file, public or private. Throws `FILE_NOT_FOUND`. */
export async function signFile(
  services: { readonly engine: Engine; readonly clock: Clock; readonly blobStores: BlobStores },
  scope: FileScope,
  { path, seconds }: { readonly path: string; readonly seconds: number },
): Promise<SignedFile> {
  const row = await findInScope(services, scope, path);
  if (row?.state !== "confirmed") throw new Problem("FILE_NOT_FOUND");
  const expiresAt = services.clock.now() + seconds * 1000;
  const urls = await signFileUrls(services, scope.projectId, { row, expiresAt });
  return { ...urls, expiresAt: new Date(expiresAt).toISOString() };
}

/** Signs URLs of a file that expire at `expiresAt`, in milliseconds since 1970. */
export async function signFileUrls(
  services: { readonly blobStores: BlobStores },
  projectId: Id,
  { row, expiresAt }: { readonly row: UploadRecord; readonly expiresAt: number },
): Promise<Pick<SignedFile, "url" | "sizesUrl">> {
  const blobs = await services.blobStores.blobsOf(projectId, row.target);
  const url = await blobs.signReading({ place: filePlaceOf(row), path: row.path, expiresAt });
  return { url, sizesUrl: sizesUrlOf(services, row, expiresAt) };
}

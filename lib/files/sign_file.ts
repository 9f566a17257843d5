import { Problem } from "../problems.ts";
import type { Clock } from "../clock.ts";
import type { Engine, Id } from "../store/port.ts";
import { sizesUrlOf } from "./public_url.ts";
import type { BlobStores } from "./stores.ts";
import { type FileScope, findInScope, placeOf, type UploadRecord } from "./uploads.ts";

/** An address that lets whoever has it read a file for a while. */
export interface SignedFile {
  readonly url: string;
  /** Of a picture, the same of its sizes. */
  readonly sizesUrl: string | null;
  readonly expiresAt: string;
}

/** Signs an address of a confirmed file, private or not. Throws `FILE_NOT_FOUND`. */
export async function signFile(
  services: { readonly engine: Engine; readonly clock: Clock; readonly blobStores: BlobStores },
  scope: FileScope,
  { path, seconds }: { readonly path: string; readonly seconds: number },
): Promise<SignedFile> {
  const row = await findInScope(services, scope, path);
  if (row?.state !== "confirmed") throw new Problem("FILE_NOT_FOUND");
  const expiresAt = services.clock.now() + seconds * 1000;
  const addresses = await addressesUntil(services, scope.projectId, { row, expiresAt });
  return { ...addresses, expiresAt: new Date(expiresAt).toISOString() };
}

/** Addresses that read a file, whoever has them, until a moment in milliseconds since 1970. */
export async function addressesUntil(
  services: { readonly blobStores: BlobStores },
  projectId: Id,
  { row, expiresAt }: { readonly row: UploadRecord; readonly expiresAt: number },
): Promise<Pick<SignedFile, "url" | "sizesUrl">> {
  const blobs = await services.blobStores.named(projectId, row.target);
  const url = await blobs.signReading({ place: placeOf(row), path: row.path, expiresAt });
  return { url, sizesUrl: sizesUrlOf(services, row, expiresAt) };
}

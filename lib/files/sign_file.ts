import { Problem } from "../problems.ts";
import type { Clock } from "../clock.ts";
import type { Engine } from "../store/port.ts";
import type { BlobStores } from "./stores.ts";
import { type FileScope, findInScope, placeOf } from "./uploads.ts";

/** An address that lets whoever has it read a file for a while. */
export interface SignedFile {
  readonly url: string;
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
  const blobs = await services.blobStores.named(scope.projectId, row.target);
  const expiresAt = services.clock.now() + seconds * 1000;
  const url = await blobs.signReading({ place: placeOf(row), path, expiresAt });
  return { url, expiresAt: new Date(expiresAt).toISOString() };
}

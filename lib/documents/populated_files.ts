import type { Clock } from "../clock.ts";
import { type FileInfo, infoOf } from "../files/list_files.ts";
import { addressesUntil } from "../files/sign_file.ts";
import { type UploadRecord, UPLOADS } from "../files/uploads.ts";
import type { BlobStores } from "../files/stores.ts";
import { IN_VALUES_MAX, SIGNED_SECONDS_DEFAULT } from "../limits.ts";
import { and, eq, within } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";

export interface FileLookup {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly blobStores: BlobStores;
}

/**
 * What is shown of a file in the place of its path: to whoever sees the document that holds it. The
 * address of a private one is signed for an hour.
 */
export type PopulatedFile = Omit<FileInfo, "ownerId">;

/** Those of the paths that are files, in no order. */
export async function* populatedFiles(
  services: FileLookup,
  projectId: Id,
  paths: readonly string[],
): AsyncGenerator<PopulatedFile> {
  const uploads = services.engine.records<UploadRecord>(projectId, UPLOADS);
  const expiresAt = services.clock.now() + SIGNED_SECONDS_DEFAULT * 1000;
  for (let at = 0; at < paths.length; at += IN_VALUES_MAX) {
    const some = within("path", paths.slice(at, at + IN_VALUES_MAX));
    for await (const row of uploads.find({ filter: and(some, eq("state", "confirmed")) })) {
      const { ownerId: _ownerId, ...info } = await infoOf(services, projectId, row);
      yield info.visibility === "public"
        ? info
        : { ...info, ...await addressesUntil(services, projectId, { row, expiresAt }) };
    }
  }
}

import type { Clock } from "../clock.ts";
import { type FileInfo, fileInfoOf } from "../files/list_files.ts";
import { signFileUrls } from "../files/sign_file.ts";
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

/** Details that replace a file's path. The address of a private file is signed for an hour. */
export type PopulatedFile = Omit<FileInfo, "ownerId">;

/** Yields the confirmed files, in no particular order. */
export async function* populatedFiles(
  services: FileLookup,
  projectId: Id,
  paths: readonly string[],
): AsyncGenerator<PopulatedFile> {
  const uploads = services.engine.records<UploadRecord>(projectId, UPLOADS);
  const expiresAt = services.clock.now() + SIGNED_SECONDS_DEFAULT * 1000;
  for (let at = 0; at < paths.length; at += IN_VALUES_MAX) {
    const isInBatch = within("path", paths.slice(at, at + IN_VALUES_MAX));
    for await (const row of uploads.find({ filter: and(isInBatch, eq("state", "confirmed")) })) {
      const { ownerId: _ownerId, ...info } = await fileInfoOf(services, projectId, row);
      yield info.visibility === "public"
        ? info
        : { ...info, ...await signFileUrls(services, projectId, { row, expiresAt }) };
    }
  }
}

import type { Cursors } from "../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { Problem } from "../problems.ts";
import { eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { projectOf } from "./paths.ts";
import type { BlobStores } from "./stores.ts";
import { findUpload, type UploadRecord, UPLOADS } from "./uploads.ts";

interface ReadServices {
  readonly engine: Engine;
  readonly blobStores: BlobStores;
}

/** A confirmed file, as it is shown. */
export interface FileInfo {
  readonly path: string;
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  readonly createdAt: string;
  readonly url: string | null;
}

/** The confirmed files, the newest first. Throws `INVALID_CURSOR`. */
export async function listFiles(
  services: ReadServices & { readonly cursors: Cursors },
  projectId: Id,
  request: PageRequest,
): Promise<RecordPage<FileInfo>> {
  const asked = eq("state", "confirmed");
  const { items, nextCursor } = await readPage(services, {
    projectId,
    name: UPLOADS.name,
    records: services.engine.records<UploadRecord>(projectId, UPLOADS),
    asked,
    filter: asked,
  }, request);
  const shown: FileInfo[] = [];
  for (const row of items) shown.push(await infoOf(services, projectId, row));
  return { items: shown, nextCursor };
}

/** What is known of one confirmed file. Throws `FILE_NOT_FOUND`. */
export async function getFileInfo(
  services: ReadServices,
  projectId: Id,
  path: string,
): Promise<FileInfo> {
  const row = projectOf(path) === projectId ? await findUpload(services, projectId, path) : null;
  if (row?.state !== "confirmed") throw new Problem("FILE_NOT_FOUND");
  return await infoOf(services, projectId, row);
}

async function infoOf(
  { blobStores }: ReadServices,
  projectId: Id,
  { path, filename, contentType, bytes, createdAt, target }: UploadRecord,
): Promise<FileInfo> {
  const blobs = await blobStores.named(projectId, target);
  return { path, filename, contentType, size: bytes, createdAt, url: blobs.publicUrl(path) };
}

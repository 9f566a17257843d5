import type { Cursors } from "../paging/cursor.ts";
import { type PageRequest, readPage, type RecordPage } from "../paging/record_page.ts";
import { Problem } from "../problems.ts";
import { and, eq } from "../store/filter.ts";
import type { Engine, Id } from "../store/port.ts";
import { publicUrlOf, sizesUrlOf } from "./public_url.ts";
import type { BlobStores } from "./stores.ts";
import {
  type FileScope,
  findInScope,
  inScope,
  type UploadRecord,
  UPLOADS,
  type Visibility,
  visibilityOf,
} from "./uploads.ts";

interface ReadServices {
  readonly engine: Engine;
  readonly blobStores: BlobStores;
}

export interface FileInfo {
  readonly path: string;
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  readonly createdAt: string;
  /** Public URL; null if the file is private or its store has no public URL. */
  readonly url: string | null;
  /** URL of resized versions; null if the file is private or not a picture that can be resized. */
  readonly sizesUrl: string | null;
  readonly visibility: Visibility;
  /** User who uploaded the file; null if a server or a member did. */
  readonly ownerId: Id | null;
}

/** Lists the confirmed files of a scope, newest first. Throws `INVALID_CURSOR`. */
export async function listFiles(
  services: ReadServices & { readonly cursors: Cursors },
  scope: FileScope,
  request: PageRequest,
): Promise<RecordPage<FileInfo>> {
  const { projectId } = scope;
  const filter = and(inScope(scope), eq("state", "confirmed"));
  const list = { space: projectId, definition: UPLOADS, filter };
  const { items, nextCursor } = await readPage<UploadRecord>(services, list, request);
  const files: FileInfo[] = [];
  for (const row of items) files.push(await fileInfoOf(services, projectId, row));
  return { items: files, nextCursor };
}

/** Returns one confirmed file of a scope. Throws `FILE_NOT_FOUND`. */
export async function getFileInfo(
  services: ReadServices,
  scope: FileScope,
  path: string,
): Promise<FileInfo> {
  const row = await findInScope(services, scope, path);
  if (row?.state !== "confirmed") throw new Problem("FILE_NOT_FOUND");
  return await fileInfoOf(services, scope.projectId, row);
}

export async function fileInfoOf(
  services: Pick<ReadServices, "blobStores">,
  projectId: Id,
  row: UploadRecord,
): Promise<FileInfo> {
  const { path, filename, contentType, bytes: size, createdAt, ownerId = null } = row;
  const url = await publicUrlOf(services, projectId, row);
  const sizesUrl = sizesUrlOf(services, row);
  const visibility = visibilityOf(row);
  return { path, filename, contentType, size, createdAt, url, sizesUrl, visibility, ownerId };
}

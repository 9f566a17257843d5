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

/** A confirmed file, as it is shown. */
export interface FileInfo {
  readonly path: string;
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  readonly createdAt: string;
  /** Null for a private file, and where the store has no public address. */
  readonly url: string | null;
  /** Of a picture, where its sizes are served; null for a private one, and for what is none. */
  readonly sizesUrl: string | null;
  readonly visibility: Visibility;
  /** The user who has uploaded it; null for a server's or a member's. */
  readonly ownerId: Id | null;
}

/** The confirmed files of a scope, the newest first. Throws `INVALID_CURSOR`. */
export async function listFiles(
  services: ReadServices & { readonly cursors: Cursors },
  scope: FileScope,
  request: PageRequest,
): Promise<RecordPage<FileInfo>> {
  const { projectId } = scope;
  const asked = and(inScope(scope), eq("state", "confirmed"));
  const list = { space: projectId, definition: UPLOADS, asked };
  const { items, nextCursor } = await readPage<UploadRecord>(services, list, request);
  const shown: FileInfo[] = [];
  for (const row of items) shown.push(await infoOf(services, projectId, row));
  return { items: shown, nextCursor };
}

/** What is known of one confirmed file. Throws `FILE_NOT_FOUND`. */
export async function getFileInfo(
  services: ReadServices,
  scope: FileScope,
  path: string,
): Promise<FileInfo> {
  const row = await findInScope(services, scope, path);
  if (row?.state !== "confirmed") throw new Problem("FILE_NOT_FOUND");
  return await infoOf(services, scope.projectId, row);
}

export async function infoOf(
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

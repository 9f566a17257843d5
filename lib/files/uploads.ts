import { ALL, eq } from "../store/filter.ts";
import type { Engine, Filter, Id } from "../store/port.ts";
import type { FilePlace, PiecedUpload } from "./blobs.ts";
import { projectIdOf } from "./paths.ts";
import { field, nullable, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

/**
 * `requested`: space is reserved and bytes may arrive. `copying`: a confirm has claimed the row and
 * publishes the object. `confirmed`: the file is charged and served. A removed file has no row.
 */
export type UploadState = "requested" | "copying" | "confirmed";

/** `public`: readable by everybody who knows the URL. `private`: readable through a signed URL. */
export type Visibility = "public" | "private";

/** Rows of the ledger, one per upload, in each project's space. */
export const UPLOADS = recordKind({
  name: "_uploads",
  fields: {
    /** `<project_id>/<uuid>_<sanitized_filename>` */
    path: field.text,
    filename: field.text,
    contentType: field.text,
    bytes: field.number,
    state: field.oneOf<UploadState>(),
    /** Random token of the confirm that has claimed the row; set while `copying`. */
    claim: nullable(field.text),
    claimedUntil: nullable(field.date),
    /** Store of the object: `internal`, or the name of the project's own store. */
    target: field.text,
    /** Time at which the reservation ends; null once confirmed. */
    expiresAt: nullable(field.date),
    createdAt: field.date,
    /** User who uploaded the file; null if a server or a member did. Earlier versions lack it. */
    ownerId: optional(nullable(field.ref)),
    /** Missing in rows of earlier versions, whose files are public. */
    visibility: optional(field.oneOf<Visibility>()),
    /** Name of the resumable upload in the store; null if no resumable upload has begun. */
    pieces: optional(nullable(field.text)),
    /** Number of bytes of the resumable upload that are safe in the store. */
    arrived: optional(field.number),
    /** Random token of the connection that has the lease to write; null if none has it. */
    writer: optional(nullable(field.text)),
    writerUntil: optional(nullable(field.date)),
    /** Whether another connection waits for the lease. */
    isWanted: optional(field.flag),
  },
  indexes: [
    { keys: [{ path: "path", descending: false }], unique: true },
    { keys: [{ path: "ownerId", descending: false }, { path: "createdAt", descending: true }] },
    { keys: [{ path: "state", descending: false }, { path: "createdAt", descending: true }] },
    { keys: [{ path: "expiresAt", descending: false }] },
  ],
  trash: false,
});

export type UploadRecord = RecordOf<typeof UPLOADS>;

/** Storage usage of a project: one record, changed in the transaction that changes the rows. */
export const STORAGE_USAGE = recordKind({
  name: "_storageUsage",
  fields: {
    /** Bytes of confirmed files in the server's own store. */
    used: field.number,
    /** Bytes reserved for uploads into the server's own store. */
    reserved: field.number,
    /** Sum of `used` and `reserved`, so that one condition can check the quota. */
    held: field.number,
    /** Store of new uploads: `internal`, or the name of the project's own store. */
    target: field.text,
    /** Number of rows whose object is in the project's own store. */
    external: field.number,
    /** Number of rows. Missing in a record of an earlier version until its rows are counted. */
    files: optional(field.number),
    /** Number of unconfirmed rows. Missing together with `files`. */
    open: optional(field.number),
  },
  indexes: [],
  trash: false,
});

export type StorageUsageRecord = RecordOf<typeof STORAGE_USAGE>;

export const visibilityOf = ({ visibility = "public" }: UploadRecord): Visibility => visibility;

export const filePlaceOf = (row: UploadRecord): FilePlace =>
  visibilityOf(row) === "private" ? "private" : "stored";

export const piecedUpload = (row: UploadRecord): PiecedUpload => ({
  path: row.path,
  bytes: row.bytes,
  contentType: row.contentType,
  place: filePlaceOf(row),
});

/** Files that a caller can access: all files of a project, or one user's own files. */
export interface FileScope {
  readonly projectId: Id;
  /** User whose files are in the scope; null for all files. */
  readonly ownerId: Id | null;
}

export const allFilesOf = (projectId: Id): FileScope => ({ projectId, ownerId: null });

export const inScope = ({ ownerId }: FileScope): Filter =>
  ownerId === null ? ALL : eq("ownerId", ownerId);

export async function findUpload(
  { engine }: { engine: Engine },
  projectId: Id,
  path: string,
): Promise<UploadRecord | null> {
  const found = await engine.records<UploadRecord>(projectId, UPLOADS).findOne(eq("path", path));
  return found?.value ?? null;
}

/** Returns the current row of a path; null if there is none in the scope. */
export async function findInScope(
  services: { engine: Engine },
  scope: FileScope,
  path: string,
): Promise<UploadRecord | null> {
  const { projectId, ownerId } = scope;
  const row = projectIdOf(path) === projectId ? await findUpload(services, projectId, path) : null;
  return row !== null && (ownerId === null || row.ownerId === ownerId) ? row : null;
}

import { ALL, eq } from "../store/filter.ts";
import type { Engine, Filter, Id } from "../store/port.ts";
import type { FilePlace, PiecedUpload } from "./blobs.ts";
import { projectOf } from "./paths.ts";
import { field, nullable, optional, recordKind, type RecordOf } from "../store/record_kind.ts";

/**
 * `requested`: space is held, bytes may arrive. `copying`: a confirm has taken the row and puts the
 * object in its place. `confirmed`: charged and served. A removed file has no row.
 */
export type UploadState = "requested" | "copying" | "confirmed";

/** `public`: everybody who knows its address. `private`: whoever has a signed one. */
export type Visibility = "public" | "private";

/** A row of the ledger. In each project's space. */
export const UPLOADS = recordKind({
  name: "_uploads",
  fields: {
    /** `<project_id>/<uuid>_<sanitized_filename>` */
    path: field.text,
    /** As the application sent it. */
    filename: field.text,
    contentType: field.text,
    bytes: field.number,
    state: field.textOf<UploadState>(),
    /** While `copying`: whose claim it is. Only who holds it may confirm. */
    claim: nullable(field.text),
    /** When the claim lapses. */
    claimedUntil: nullable(field.date),
    /** The store of the object: `internal`, or the name of the project's own one. */
    target: field.text,
    /** When the hold ends; null once confirmed. */
    expiresAt: nullable(field.date),
    createdAt: field.date,
    /** The user who has uploaded it. Null for a server's or a member's; earlier versions had none. */
    ownerId: optional(nullable(field.ref)),
    /** Who may read it; earlier versions knew public ones only. */
    visibility: optional(field.textOf<Visibility>()),
    /** What the store calls the upload in pieces; null where it did not begin as one. */
    pieces: optional(nullable(field.text)),
    /** Bytes of it that are safe in the store. */
    arrived: optional(field.number),
    /** Whose turn it is to bring more of them, until when, and whether somebody else wants it. */
    writer: optional(nullable(field.text)),
    writerUntil: optional(nullable(field.date)),
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

/**
 * What a project is charged for, one record a project under the project's own id. Every change of
 * it is part of the transaction that changes the rows, so that the sums cannot drift from them. In
 * each project's space.
 */
export const STORAGE_USAGE = recordKind({
  name: "_storageUsage",
  fields: {
    /** Bytes of confirmed files in our own store. */
    used: field.number,
    /** Bytes held for uploads into our own store. */
    reserved: field.number,
    /** `used` and `reserved` together: what headroom is judged by, in one condition. */
    held: field.number,
    /** Where new uploads go: `internal`, or the name of the project's own store. */
    target: field.text,
    /** Rows whose object lies in the project's own store. */
    external: field.number,
    /** All rows. Missing in a record of an earlier version, until its rows are counted. */
    files: optional(field.number),
    /** Rows that are not confirmed. Missing together with `files`. */
    open: optional(field.number),
  },
  indexes: [],
  trash: false,
});

export type StorageUsageRecord = RecordOf<typeof STORAGE_USAGE>;

export const visibilityOf = ({ visibility = "public" }: UploadRecord): Visibility => visibility;

/** Where the file of a row lies. */
export const placeOf = (row: UploadRecord): FilePlace =>
  visibilityOf(row) === "private" ? "private" : "stored";

/** The upload of a row, as a store takes it in pieces. */
export const piecedUpload = (row: UploadRecord): PiecedUpload => ({
  path: row.path,
  bytes: row.bytes,
  contentType: row.contentType,
  place: placeOf(row),
});

/** Which files: all of a project, or a user's own. To a user there are no others. */
export interface FileScope {
  readonly projectId: Id;
  /** Null for all. */
  readonly ownerId: Id | null;
}

export const allFilesOf = (projectId: Id): FileScope => ({ projectId, ownerId: null });

/** All that a scope has. */
export const inScope = ({ ownerId }: FileScope): Filter =>
  ownerId === null ? ALL : eq("ownerId", ownerId);

/** The row of a path as it is stored now; null when there is none. */
export async function findUpload(
  { engine }: { engine: Engine },
  projectId: Id,
  path: string,
): Promise<UploadRecord | null> {
  const found = await engine.records<UploadRecord>(projectId, UPLOADS).findOne(eq("path", path));
  return found?.value ?? null;
}

/** The same, where it is in the scope. */
export async function findInScope(
  services: { engine: Engine },
  scope: FileScope,
  path: string,
): Promise<UploadRecord | null> {
  const { projectId, ownerId } = scope;
  const row = projectOf(path) === projectId ? await findUpload(services, projectId, path) : null;
  return row !== null && (ownerId === null || row.ownerId === ownerId) ? row : null;
}

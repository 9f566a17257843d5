import { ALL, eq } from "../store/filter.ts";
import type { Definition, Engine, Filter, Id, StoredRecord } from "../store/port.ts";
import type { FilePlace, PiecedUpload } from "./blobs.ts";
import { projectOf } from "./paths.ts";

/**
 * `requested`: space is held, bytes may arrive. `copying`: a confirm has taken the row and puts the
 * object in its place. `confirmed`: charged and served. A removed file has no row.
 */
export type UploadState = "requested" | "copying" | "confirmed";

/** `public`: everybody who knows its address. `private`: whoever has a signed one. */
export type Visibility = "public" | "private";

/** A row of the ledger. */
export type UploadRecord = StoredRecord & {
  /** `<project_id>/<uuid>_<sanitized_filename>` */
  path: string;
  /** As the application sent it. */
  filename: string;
  contentType: string;
  bytes: number;
  state: UploadState;
  /** While `copying`: whose claim it is. Only who holds it may confirm. */
  claim: string | null;
  /** When the claim lapses. */
  claimedUntil: string | null;
  /** The store of the object: `internal`, or the name of the project's own one. */
  target: string;
  /** When the hold ends; null once confirmed. */
  expiresAt: string | null;
  createdAt: string;
  /** Who may read it; earlier versions knew public ones only. */
  visibility?: Visibility;
  /** What the store calls the upload in pieces; null where it did not begin as one. */
  pieces?: string | null;
  /** Bytes of it that are safe in the store. */
  arrived?: number;
  /** Whose turn it is to bring more of them, until when, and whether somebody else wants it. */
  writer?: string | null;
  writerUntil?: string | null;
  isWanted?: boolean;
  /** The user who has uploaded it. Null for a server's or a member's; earlier versions had none. */
  ownerId?: Id | null;
};

/** In each project's space. */
export const UPLOADS: Definition = {
  name: "_uploads",
  fields: {
    path: { type: "String" },
    filename: { type: "String" },
    contentType: { type: "String" },
    bytes: { type: "Number" },
    state: { type: "String" },
    claim: { type: "String" },
    claimedUntil: { type: "Date" },
    target: { type: "String" },
    expiresAt: { type: "Date" },
    createdAt: { type: "Date" },
    ownerId: { type: "Ref" },
    visibility: { type: "String" },
    pieces: { type: "String" },
    arrived: { type: "Number" },
    writer: { type: "String" },
    writerUntil: { type: "Date" },
    isWanted: { type: "Boolean" },
  },
  indexes: [
    { keys: [{ path: "path", descending: false }], unique: true },
    { keys: [{ path: "ownerId", descending: false }, { path: "createdAt", descending: true }] },
    { keys: [{ path: "state", descending: false }, { path: "createdAt", descending: true }] },
    { keys: [{ path: "expiresAt", descending: false }] },
  ],
  trash: false,
};

/**
 * What a project is charged for, one record a project under the project's own id. Every change of
 * it is part of the transaction that changes the rows, so that the sums cannot drift from them.
 */
export type StorageUsageRecord = StoredRecord & {
  /** Bytes of confirmed files in our own store. */
  used: number;
  /** Bytes held for uploads into our own store. */
  reserved: number;
  /** `used` and `reserved` together: what headroom is judged by, in one condition. */
  held: number;
  /** Where new uploads go: `internal`, or the name of the project's own store. */
  target: string;
  /** Rows whose object lies in the project's own store. */
  external: number;
  /** All rows. Missing in a record of an earlier version, until its rows are counted. */
  files?: number;
  /** Rows that are not confirmed. Missing together with `files`. */
  open?: number;
};

/** In each project's space. */
export const STORAGE_USAGE: Definition = {
  name: "_storageUsage",
  fields: {
    used: { type: "Number" },
    reserved: { type: "Number" },
    held: { type: "Number" },
    target: { type: "String" },
    external: { type: "Number" },
    files: { type: "Number" },
    open: { type: "Number" },
  },
  indexes: [],
  trash: false,
};

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

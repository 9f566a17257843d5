/** The blob port, implemented by `disk/` and `s3/`. `tests/contract/` tests its obligations. */
import type { ByteRange } from "../http/ranges.ts";

/**
 * Part of a store that objects are in:
 *
 * - `partial`: data of unfinished uploads. Paths begin with the path of the upload.
 * - `staged`: complete uploads that are not confirmed. Signed upload URLs write only here.
 * - `derived`: resized pictures, written by {@linkcode Blobs.putDerived}. They are not public.
 *   Paths begin with the path of the upload.
 * - `stored`: public files. Only {@linkcode Blobs.publish}, {@linkcode Blobs.copy} and
 *   {@linkcode Pieces.join} write here and to `private`.
 * - `private`: files that can be read only through a signed URL.
 */
export type BlobPlace = "partial" | "staged" | "derived" | FilePlace;

export type FilePlace = "stored" | "private";

export interface ReadGrant {
  readonly place: FilePlace;
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface UploadGrant {
  /** `<project_id>/<uuid>_<sanitized_filename>`, as `newPath` makes it. */
  readonly path: string;
  /** Exact number of bytes that the upload must have. */
  readonly bytes: number;
  /** Exact `Content-Type` that the upload must have. */
  readonly contentType: string;
  /** Milliseconds since 1970. An upload that begins later is refused. */
  readonly expiresAt: number;
}

export interface BlobStat {
  readonly bytes: number;
}

export interface PublishedBlob extends BlobStat {
  /** Whether no staged object is left, and no running upload can create one. */
  readonly wasMoved?: boolean;
}

export interface ListedBlob {
  readonly path: string;
  readonly bytes: number;
  /** Time of the last write by the store's clock, milliseconds since 1970. */
  readonly writtenAt: number;
}

export interface BlobPage {
  readonly blobs: readonly ListedBlob[];
  /** Value of `after` for the next page; null after the last page. */
  readonly next: string | null;
}

/**
 * A store of objects.
 *
 * Paths have the form of {@linkcode UploadGrant.path}. A path of another form is a programming
 * error and throws before the store is called. When a call resolves, its effect is durable and
 * visible to every process. Every call ends within {@linkcode BLOB_CALL_MS}, `publish` within
 * {@linkcode PUBLISH_MS}. If the store does not answer in time, rejects the credentials or fails,
 * the call throws `BlobsUnavailable`. A missing object is never an error.
 */
export interface Blobs extends AsyncDisposable {
  /**
   * Returns an absolute URL that accepts a `PUT` of exactly this upload, from any origin, without
   * further credentials. It is valid until `expiresAt` at most and contains no secret of the store.
   */
  signUpload(upload: UploadGrant): Promise<string>;
  /** Storage of resumable uploads. The caller checks permissions. */
  readonly pieces: Pieces;
  stat(place: BlobPlace, path: string): Promise<BlobStat | null>;
  /** Returns a stream that must be read to its end or cancelled; null if there is no object. */
  read(
    place: BlobPlace,
    path: string,
    range?: ByteRange,
  ): Promise<ReadableStream<Uint8Array> | null>;
  /** Returns a URL without secrets that answers `GET` of this object until `expiresAt`. */
  signReading(reading: ReadGrant): Promise<string>;
  /**
   * Moves or copies the staged object to a file place (default: `stored`), atomically, to be served
   * as `contentType`. Returns null if no object is staged. If it was not moved, the caller has to
   * remove the staged object.
   */
  publish(path: string, contentType: string, place?: FilePlace): Promise<PublishedBlob | null>;
  /** Copies a file, atomically, from the other file place; null if it is missing there. */
  copy(path: string, contentType: string, place: FilePlace): Promise<BlobStat | null>;
  /** Writes a `derived` object, atomically. It may be lost if the machine fails. */
  putDerived(path: string, bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<void>;
  /** Removes an object. Also resolves if the object is missing. */
  remove(place: BlobPlace, path: string): Promise<void>;
  /**
   * Lists objects of a place in the order of their paths.
   * @param page `prefix`: a project's id and a slash, or "" for all projects. `after`: the path
   * after which the page begins. `limit`: 1 to 1000.
   */
  list(
    place: BlobPlace,
    page: { prefix: string; after: string | null; limit: number },
  ): Promise<BlobPage>;
  /** Returns the public URL of a `stored` object; null if the store has no public URL. */
  publicUrl(path: string): string | null;
  /** Resolves if the store answers and accepts the credentials. */
  ping(): Promise<void>;
}

/** A resumable upload. Its pieces become a file when they are joined. */
export interface PiecedUpload {
  readonly path: string;
  /** Length of the complete file, in bytes. */
  readonly bytes: number;
  readonly contentType: string;
  /** Place of the file once its pieces are joined. */
  readonly place: FilePlace;
}

export interface RecordedProgress {
  /** Name of the upload in the store, as returned by {@linkcode Pieces.begin}. */
  readonly name: string;
  /** Number of bytes that have arrived, from the beginning of the file. */
  readonly arrived: number;
}

/** Stores resumable uploads. Bytes beyond the progress in the ledger are dropped. */
export interface Pieces {
  /** Begins an upload and returns the name that the store gives it. */
  begin(upload: PiecedUpload): Promise<string>;
  /** Returns how many of the recorded bytes the store has; fewer than recorded if it lost some. */
  countArrived(upload: PiecedUpload, progress: RecordedProgress): Promise<number>;
  /**
   * Returns a writer that appends after the recorded bytes, all of which the store must have. An
   * upload may have only one writer at a time.
   * @param reserveMemory Called with a number of bytes before the writer allocates that memory. An
   * error that it throws is passed on.
   */
  resume(
    upload: PiecedUpload,
    progress: RecordedProgress,
    reserveMemory?: (bytes: number) => void,
  ): Promise<PieceWriter>;
  /**
   * Joins the pieces of a complete upload into a file. Returns null if the store does not have the
   * upload. An upload of 0 bytes can be joined under any name, without having begun.
   */
  join(upload: PiecedUpload, name: string): Promise<BlobStat | null>;
  /** Removes all pieces of an upload, including those that were begun but never recorded. */
  remove(path: string): Promise<void>;
}

/** Writes pieces of a resumable upload. Disposing it drops the bytes that are not safe. */
export interface PieceWriter extends AsyncDisposable {
  /** Number of leading bytes that survive this process, so that another one can resume. */
  readonly safeBytes: number;
  /** Writes the next bytes. Throws `PiecesLost` and `BlobsUnavailable`. */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Makes all written bytes safe and durable.
   * @param record Records `safeBytes`. It is called before the writer overwrites an object that the
   * recorded progress depends on; if it throws, the object is not overwritten.
   */
  flush(record: () => Promise<unknown>): Promise<void>;
}

/** Thrown if the store has lost the pieces of an upload, so that it must begin again. */
export class PiecesLost extends Error {
  override readonly name = "PiecesLost";
}

/** Prefix of the object keys of each place. Keys of public files begin with a project's id. */
export const PREFIXES = {
  partial: "_incoming/_parts/",
  staged: "_incoming/",
  private: "_private/",
  derived: "_derived/",
  stored: "",
} as const;

/** `Cache-Control` of files. A file never changes, but a signed URL expires. */
export const CACHE_CONTROL: Readonly<Record<FilePlace, string>> = {
  stored: "public, max-age=31536000, immutable",
  private: "private, max-age=3600",
};

export const BLOB_CALL_MS = 5_000;
/** Longer than {@linkcode BLOB_CALL_MS}, because the store may copy the object. */
export const PUBLISH_MS = 30_000;

/** Thrown if a store cannot be used. The message is for operators and contains no secret. */
export class BlobsUnavailable extends Error {
  override readonly name = "BlobsUnavailable";
}

/**
 * The blob port: the bytes of files go through {@linkcode Blobs}. `disk/` and `s3/` each implement
 * it once, and `tests/contract/` holds both to the obligations written here. What a project has and
 * is charged for is not decided here but in the ledger.
 */
import type { ByteRange } from "../http/ranges.ts";

/**
 * Where an object lies. A signed upload writes `staged` and nothing else; only
 * {@linkcode Blobs.publish} and {@linkcode Blobs.copy} ever write `stored`, which everybody may read,
 * and `private`, which nobody may without a signed address. `derived` is what {@linkcode Blobs.keep}
 * writes: what was made of files, which nobody reads there. `partial` are uploads under way, as far as
 * they are objects. The paths of these two begin with that of an upload.
 */
export type Place = "partial" | "staged" | "derived" | FilePlace;

/** Where files lie. */
export type FilePlace = "stored" | "private";

/** What a signed address lets its holder read. */
export interface SignedReading {
  readonly place: FilePlace;
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** What a signed address lets its holder put. */
export interface Upload {
  /** `<project_id>/<uuid>_<sanitized_filename>`, made by us. */
  readonly path: string;
  /** Exactly as many. */
  readonly bytes: number;
  /** Exactly this text. */
  readonly contentType: string;
  /** Milliseconds since 1970: an upload that begins later is refused. */
  readonly expiresAt: number;
}

export interface BlobStat {
  readonly bytes: number;
}

export interface Published extends BlobStat {
  /** Whether nothing is staged any more, and nobody brings something that would be. */
  readonly wasMoved?: boolean;
}

export interface ListedBlob {
  readonly path: string;
  readonly bytes: number;
  /** When it was last written, in milliseconds since 1970 by the store's clock. */
  readonly writtenAt: number;
}

export interface BlobPage {
  readonly blobs: readonly ListedBlob[];
  /** What to pass as `after` for the next page; null behind the last. */
  readonly next: string | null;
}

/**
 * A store of objects.
 *
 * Paths are those of {@linkcode Upload}; a path of another form is a programming error and throws
 * before anything is touched. What resolves is durable and seen by every process from then on.
 * Every call ends within {@linkcode BLOB_CALL_MS}; `publish` within {@linkcode PUBLISH_MS}. A store
 * that does not answer in time, refuses us or fails throws `BlobsUnavailable`; absence never does.
 */
export interface Blobs extends AsyncDisposable {
  /**
   * An absolute address that takes `PUT` of exactly this upload, from any origin, without further
   * credentials. It never outlives `expiresAt`, and carries no secret of the store.
   */
  signUpload(upload: Upload): Promise<string>;
  /** What takes an upload in pieces, for whoever holds the permission. */
  readonly pieces: Pieces;
  stat(place: Place, path: string): Promise<BlobStat | null>;
  /** The bytes, streamed. The stream must be read to its end or cancelled. */
  read(place: Place, path: string, range?: ByteRange): Promise<ReadableStream<Uint8Array> | null>;
  /**
   * An absolute address that answers `GET` of this object until then, without further credentials.
   * It carries no secret of the store.
   */
  signReading(reading: SignedReading): Promise<string>;
  /**
   * Puts what is staged in the place of a file, `stored` if left out, whole or not at all, to be
   * served as `contentType`; null when nothing is staged. The staged object has to be removed
   * afterwards unless it was moved.
   */
  publish(path: string, contentType: string, place?: FilePlace): Promise<Published | null>;
  /**
   * The same with what lies in the other place of files, and stays there; null when nothing does.
   */
  copy(path: string, contentType: string, place: FilePlace): Promise<BlobStat | null>;
  /**
   * Puts bytes at a path of `derived`, whole or not at all, in the place of what lies there. They may
   * be lost when the machine fails: they can be made again.
   */
  keep(path: string, bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<void>;
  /** Also resolves when there is nothing to remove. */
  remove(place: Place, path: string): Promise<void>;
  /**
   * Objects of a place in the order of their paths, `limit` at most (1 to 1000), behind `after`.
   * @param prefix A project's id and a slash, or nothing for those of every project.
   */
  list(
    place: Place,
    page: { prefix: string; after: string | null; limit: number },
  ): Promise<BlobPage>;
  /** Where what is `stored` is served to everybody; null where the store exposes none. */
  publicUrl(path: string): string | null;
  /** Resolves when the store answers and lets us in. */
  ping(): Promise<void>;
}

/** An upload whose bytes come in pieces, and are no file before they are joined. */
export interface PiecedUpload {
  readonly path: string;
  /** In all. */
  readonly bytes: number;
  readonly contentType: string;
  /** Where it will lie. */
  readonly place: FilePlace;
}

/** How far an upload has come, as the ledger has noted it. */
export interface Begun {
  /** As {@linkcode Pieces.begin} resolved to it. */
  readonly name: string;
  /** Bytes, from the first one on. */
  readonly arrived: number;
}

/**
 * The part of the blob port that takes uploads in pieces. The ledger decides how far one has come: what a
 * store has beyond that is forgotten, and written anew.
 */
export interface Pieces {
  /** Resolves to the name that the store gives the upload. */
  begin(upload: PiecedUpload): Promise<string>;
  /** How many of the noted bytes the store has: all of them, or fewer where some were lost. */
  arrived(upload: PiecedUpload, begun: Begun): Promise<number>;
  /**
   * Goes on behind what is noted, all of which the store has. One at a time may.
   * @param hold Told of the memory that the writer will take, before it does; what it throws ends it.
   */
  goOn(
    upload: PiecedUpload,
    begun: Begun,
    hold?: (bytes: number) => void,
  ): Promise<PieceWriter>;
  /**
   * Puts in its place what has arrived whole; null where the store knows of no such upload. An upload
   * of 0 bytes need not have begun: it is joined under any name.
   */
  join(upload: PiecedUpload, name: string): Promise<BlobStat | null>;
  /** All pieces of an upload, also those that were begun and never noted. */
  remove(path: string): Promise<void>;
}

/** Disposing of it forgets what is not safe. */
export interface PieceWriter extends AsyncDisposable {
  /**
   * Up to where somebody else can go on if this process ends now, once it is noted: bytes from the
   * upload's first one on.
   */
  readonly safe: number;
  /** Throws `PiecesLost`, and `BlobsUnavailable`. */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Makes all of it safe, durably.
   * @param note Notes what is safe so far, before what it rests on is written over; where it throws,
   * nothing is.
   */
  keep(note: () => Promise<unknown>): Promise<void>;
}

/** The store has dropped what had arrived: the upload begins anew. */
export class PiecesLost extends Error {
  override readonly name = "PiecesLost";
}

/** What stands before the paths of a place; those of public files begin with a project's id. */
export const FOLDERS = {
  partial: "_incoming/_parts/",
  staged: "_incoming/",
  private: "_private/",
  derived: "_derived/",
  stored: "",
} as const;

/** What lies at a path never changes; but an address of a private file ends. */
export const CACHE_CONTROL: Readonly<Record<FilePlace, string>> = {
  stored: "public, max-age=31536000, immutable",
  private: "private, max-age=3600",
};

export const BLOB_CALL_MS = 5_000;
/** Copying is the store's work and grows with the object. */
export const PUBLISH_MS = 30_000;

/** A store cannot be used at present; the message is for operators and names no secret. */
export class BlobsUnavailable extends Error {
  override readonly name = "BlobsUnavailable";
}

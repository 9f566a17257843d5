import type { BlobStat, FilePlace } from "./blobs.ts";

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
  /** Goes on behind what is noted, all of which the store has. One at a time may. */
  goOn(upload: PiecedUpload, begun: Begun): Promise<PieceWriter>;
  /** Puts in its place what has arrived whole; null where the store knows of no such upload. */
  join(upload: PiecedUpload, name: string): Promise<BlobStat | null>;
  /** All pieces of an upload, also those that were begun and never noted. */
  remove(path: string): Promise<void>;
}

/** Disposing of it forgets what is not safe. */
export interface PieceWriter extends AsyncDisposable {
  /** Bytes of memory that it takes at most. */
  readonly holds: number;
  /**
   * Up to where somebody else can go on if this process ends now, once it is noted: bytes from the
   * upload's first one on.
   */
  readonly safe: number;
  /** Throws `PiecesLost`, and `BlobsUnavailable`. */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Makes all of it safe, durably.
   * @param note Notes what is safe so far, before what it rests on is written over.
   */
  keep(note: () => Promise<void>): Promise<void>;
}

/** The store has dropped what had arrived: the upload begins anew. */
export class PiecesLost extends Error {
  override readonly name = "PiecesLost";
}

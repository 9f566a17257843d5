import type { ByteRange } from "../http/ranges.ts";
import type { FilePlace } from "./blobs.ts";

/**
 * What a process does itself where files are kept in a folder: it takes the bytes of uploads and
 * serves files. A store of its own does both elsewhere.
 */
export interface LocalFiles {
  /**
   * Begins an upload to a path. Nothing of it is seen until it is staged whole. Null when as many
   * are under way as may be at once: nobody has been charged for what they hold.
   * @param abandoned Called when what is staged at the path is removed: nobody waits for more.
   */
  receive(path: string, abandoned: () => void): Promise<Incoming | null>;
  /**
   * The bytes of a file, or of what was made of it, which has `bytes` of them: at once where they
   * are few, else streamed. Null when it is missing or has another length.
   */
  body(
    place: FilePlace | "derived",
    path: string,
    bytes: number,
    range: ByteRange | null,
  ): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null>;
}

/** An upload under way. Disposing it leaves no trace of what was not staged. */
export interface Incoming extends AsyncDisposable {
  /** Throws `BlobsUnavailable`. */
  write(bytes: Uint8Array): void;
  /** Puts what was written in the staged place, durably. */
  stage(): Promise<void>;
}

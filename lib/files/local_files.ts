import type { ByteRange } from "../http/ranges.ts";
import type { FilePlace } from "./blobs.ts";

export interface LocalFiles {
  /**
   * Begins an upload to a path. The upload becomes visible when it is staged. Returns null if the
   * path already has as many concurrent uploads as allowed, since their bytes are not charged yet.
   * @param onAbandoned Called when the staged object of the path is removed, because the upload is
   * no longer needed.
   */
  receive(path: string, onAbandoned: () => void): Promise<IncomingUpload | null>;
  /** Returns an array if the bytes are few, else a stream; null unless `bytes` is the length. */
  open(
    place: FilePlace | "derived",
    path: string,
    bytes: number,
    range: ByteRange | null,
  ): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null>;
}

/** A running upload. Disposing it removes the bytes that were not staged. */
export interface IncomingUpload extends AsyncDisposable {
  /** Writes the next bytes. Throws `BlobsUnavailable`. */
  write(bytes: Uint8Array): void;
  /** Moves the written bytes to the `staged` place, durably. */
  stage(): Promise<void>;
}

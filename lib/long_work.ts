/**
 * Thrown, before anything is changed, by work that would hold its thread up for long. Whoever serves
 * has another thread begin anew, where nobody waits for anything else.
 */
export class LongWork extends Error {
  override readonly name = "LongWork";
}

export interface LongWorkServices {
  /** Bytes of documents that this thread parses for one request; for more it throws {@linkcode LongWork}. */
  readonly parsedBytesMax: number;
}

/** For a thread that serves: 2 ms of most documents. */
export const SERVED_PARSED_BYTES_MAX = 262_144;
/** Values of documents that it parses to show parts of them, in up to 2 ms. */
export const SERVED_READ_VALUES_MAX = 4_000;
/** Values of a body, or of a document that is changed, in up to 3 ms. */
export const SERVED_WRITTEN_VALUES_MAX = 1_000;
/** Bytes of documents that it sends as they are stored. */
export const SERVED_BYTES_MAX = 1_048_576;

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

/** For a thread that serves: 2 ms of most documents, 8 of those with the smallest members. */
export const SERVED_PARSED_BYTES_MAX = 262_144;
/** Bytes of documents that it sends as they are stored. */
export const SERVED_BYTES_MAX = 1_048_576;

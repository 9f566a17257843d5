/** Headers of the tus protocol for resumable uploads: https://tus.io. */

import { CHECKSUM_ALGORITHMS } from "./checksum.ts";

export const TUS_VERSION = "1.0.0";

/** Content type of a body with bytes of an upload. */
export const OFFSET_TYPE = "application/offset+octet-stream";

/** Headers of every answer at a tus address. */
export const TUS_HEADERS = [
  ["tus-resumable", TUS_VERSION],
  ["tus-version", TUS_VERSION],
] as const;

/** Headers of answers to `OPTIONS`, without creation: an upload request creates uploads. */
export const TUS_OPTIONS = [
  ["tus-extension", "termination,expiration,checksum"],
  ["tus-checksum-algorithm", CHECKSUM_ALGORITHMS.join(",")],
] as const;

/** What answers say of tus, the protocol of uploads that are resumed: https://tus.io. */

import { CHECKSUM_ALGORITHMS } from "./checksum.ts";

export const TUS_VERSION = "1.0.0";

/** Of a body with bytes of an upload. */
export const OFFSET_TYPE = "application/offset+octet-stream";

/** Of every answer at an address of tus. */
export const TUS_HEADERS = [
  ["tus-resumable", TUS_VERSION],
  ["tus-version", TUS_VERSION],
] as const;

/** What is told to whoever asks with `OPTIONS`. An upload is created by an upload request. */
export const TUS_OPTIONS = [
  ["tus-extension", "termination,expiration,checksum"],
  ["tus-checksum-algorithm", CHECKSUM_ALGORITHMS.join(",")],
] as const;

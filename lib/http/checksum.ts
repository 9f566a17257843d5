export interface Checksum {
  readonly algorithm: ChecksumAlgorithm;
  readonly digest: Uint8Array;
}

export const CHECKSUM_ALGORITHMS = ["sha1", "sha256", "md5"] as const;

export type ChecksumAlgorithm = typeof CHECKSUM_ALGORITHMS[number];

import type { Id } from "../store/port.ts";
import type { Blobs } from "./blobs.ts";

/** `internal`: the server's own store. `external`: the project's own bucket. */
export type StorageProvider = "internal" | "external";

/** Name of the server's own store in the ledger. All other names are projects' own buckets. */
export const INTERNAL_TARGET = "internal";

export const providerOf = (target: string): StorageProvider =>
  target === INTERNAL_TARGET ? "internal" : "external";

export interface StorageTarget {
  readonly name: string;
  readonly blobs: Blobs;
}

export interface BlobStores extends AsyncDisposable {
  readonly internal: Blobs;
  /** Returns the store for new uploads of a project, by the current settings. */
  currentTarget(projectId: Id): Promise<StorageTarget>;
  /** Returns the store of a row. Throws `BlobsUnavailable` if the project no longer has it. */
  blobsOf(projectId: Id, target: string): Promise<Blobs>;
  /** @param expiresAt Milliseconds since 1970, for a private picture; null for a public one. */
  sizesUrl(path: string, expiresAt: number | null): string;
  resumableUrl(path: string): string;
}

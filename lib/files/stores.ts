import type { Id } from "../store/port.ts";
import type { Blobs } from "./blobs.ts";

/** Ours, or one that the project's owner brought. */
export type StorageProvider = "internal" | "external";

/** The name of our own store in a row of the ledger; every other name is a project's own store. */
export const INTERNAL = "internal";

export const providerOf = (target: string): StorageProvider =>
  target === INTERNAL ? "internal" : "external";

/** Where the objects of rows with this name lie. */
export interface StorageTarget {
  readonly name: string;
  readonly blobs: Blobs;
}

/** Which store the files of a project are in. */
export interface BlobStores extends AsyncDisposable {
  /** Our own. */
  readonly internal: Blobs;
  /** Where new uploads of a project go, as it is set now. */
  current(projectId: Id): Promise<StorageTarget>;
  /** Where the object of a row lies. Throws `BlobsUnavailable` for a store that is not set. */
  named(projectId: Id, target: string): Promise<Blobs>;
  /**
   * Where we serve the sizes of a picture, whichever store it is in.
   * @param expiresAt Of a private one: milliseconds since 1970 until when the address is good.
   */
  sizesUrl(path: string, expiresAt: number | null): string;
  /** Where we take the pieces of an upload, whichever store they go to. */
  resumableUrl(path: string): string;
}

/** Suite that checks a driver against the obligations of `lib/files/blobs.ts`. */

import type { Blobs, UploadGrant } from "@/lib/files/blobs.ts";
import { blobDerivedCases } from "./blobs_derived.ts";
import { blobListingCases } from "./blobs_listing.ts";
import { blobPieceCases } from "./blobs_pieces.ts";
import { blobPrivateCases } from "./blobs_private.ts";
import { blobReadingCases } from "./blobs_reading.ts";
import { blobUploadCases } from "./blobs_uploads.ts";
import { type CasesOn, type DriverOf, testsOf } from "./cases.ts";

/** A request to a signed address. The length of a stream is unknown until it ends. */
export interface Put {
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  readonly contentType: string;
}

export interface BlobStore {
  readonly blobs: Blobs;
  /** Returns the time by which addresses expire, in milliseconds since 1970. */
  now(): number;
  /** Registers an upload, for stores that require more than a signature. */
  expect(upload: UploadGrant): Promise<void>;
  /** Sends `PUT` to a signed address. Resolves to the status. */
  put(address: string, put: Put): Promise<number>;
  /** Opens the store again, as another process does. */
  again(): Promise<Blobs>;
  broken(): Promise<Blobs>;
  /** Texts that must not occur in any address or error. */
  readonly secrets: readonly string[];
}

export type BlobCases = CasesOn<BlobStore>;

export function blobsContract(name: string, driver: DriverOf<BlobStore>): void {
  const themes = [
    ...[blobUploadCases, blobReadingCases, blobListingCases, blobPrivateCases],
    ...[blobDerivedCases, blobPieceCases],
  ];
  for (const test of testsOf(name, driver, themes)) Deno.test(test);
}

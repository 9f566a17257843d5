/**
 * The suite that holds every driver to the obligations of `lib/files/blobs.ts`. A driver's test
 * file calls {@linkcode blobsContract} once.
 */

import type { Blobs, Upload } from "@/lib/files/blobs.ts";
import { blobDerivedCases } from "./blobs_derived.ts";
import { blobListingCases } from "./blobs_listing.ts";
import { blobPieceCases } from "./blobs_pieces.ts";
import { blobPrivateCases } from "./blobs_private.ts";
import { blobReadingCases } from "./blobs_reading.ts";
import { blobUploadCases } from "./blobs_uploads.ts";
import { type CasesOn, type DriverOf, testsOf } from "./cases.ts";

/** What a client sends to a signed address. A stream has no length before it ends. */
export interface Put {
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  readonly contentType: string;
}

/** An empty store of the case's own. */
export interface BlobStore {
  readonly blobs: Blobs;
  /** What addresses expire by, in milliseconds since 1970. */
  now(): number;
  /** Makes an upload known where a store asks for more than a signature. */
  expect(upload: Upload): Promise<void>;
  /** Sends `PUT` to a signed address. Resolves to the status. */
  put(address: string, put: Put): Promise<number>;
  /** Opens the same store once more, as another process does. */
  again(): Promise<Blobs>;
  /** Opens a store that cannot be used. */
  broken(): Promise<Blobs>;
  /** What no address and no error may tell. */
  readonly secrets: readonly string[];
}

export type BlobCases = CasesOn<BlobStore>;

/** Declares one test for each case. */
export function blobsContract(name: string, driver: DriverOf<BlobStore>): void {
  const themes = [
    ...[blobUploadCases, blobReadingCases, blobListingCases, blobPrivateCases],
    ...[blobDerivedCases, blobPieceCases],
  ];
  for (const test of testsOf(name, driver, themes)) Deno.test(test);
}

import assert from "node:assert/strict";
import type { BlobPlace, Blobs, UploadGrant } from "@/lib/files/blobs.ts";
import { newPath } from "@/lib/files/paths.ts";
import type { Id } from "@/lib/store/port.ts";
import type { BlobStore } from "./blobs.ts";

export const PLACES: readonly BlobPlace[] = ["partial", "staged", "stored", "private", "derived"];
export const TYPE = "text/plain";

const MINUTE_MS = 60_000;

export const newProject = (): Id => crypto.getRandomValues(new Uint8Array(12)).toHex();

export const pathIn = (project: Id, filename = "a file.txt"): string =>
  newPath(project, crypto.randomUUID(), filename);

export const aPath = (): string => pathIn(newProject());

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Returns bytes that differ at each position. */
export function manyBytes(length: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(length / 4)).map((_, i) => Math.imul(i, 2_654_435_761));
  return new Uint8Array(words.buffer, 0, length);
}

export const uploadOf = (
  store: BlobStore,
  path: string,
  bytes: number,
  change: Partial<UploadGrant> = {},
): UploadGrant => ({
  path,
  bytes,
  contentType: TYPE,
  expiresAt: store.now() + MINUTE_MS,
  ...change,
});

export async function addressFor(store: BlobStore, upload: UploadGrant): Promise<string> {
  await store.expect(upload);
  return await store.blobs.signUpload(upload);
}

export async function putStaged(
  store: BlobStore,
  path: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const address = await addressFor(store, uploadOf(store, path, body.length));
  assert.equal(await store.put(address, { body, contentType: TYPE }), 200);
}

/** Stores an object only in the stored place. */
export async function putStored(
  store: BlobStore,
  path: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<void> {
  await putStaged(store, path, body);
  assert.equal((await store.blobs.publish(path, TYPE))?.bytes, body.length);
  await store.blobs.remove("staged", path);
}

/** Resolves to all bytes of an object; null if it does not exist. */
export async function contents(
  blobs: Blobs,
  place: BlobPlace,
  path: string,
): Promise<Uint8Array | null> {
  const stream = await blobs.read(place, path);
  return stream && await new Response(stream).bytes();
}

export async function assertHolds(
  blobs: Blobs,
  place: BlobPlace,
  path: string,
  expected: Uint8Array | null,
): Promise<void> {
  const stored = await contents(blobs, place, path);
  assert.deepEqual(await blobs.stat(place, path), expected && { bytes: expected.length });
  if (expected === null) return assert.equal(stored, null);
  assert.ok(stored !== null && sameBytes(stored, expected), `${place} holds other bytes`);
}

/** Compares bytes. `deepEqual` takes seconds for megabytes. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

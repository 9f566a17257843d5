/** What the cases of blobs share. */

import assert from "node:assert/strict";
import type { Blobs, Place, Upload } from "@/lib/files/blobs.ts";
import { newPath } from "@/lib/files/paths.ts";
import type { Id } from "@/lib/store/port.ts";
import type { BlobStore } from "./blobs.ts";

export const PLACES: readonly Place[] = ["partial", "staged", "stored", "private", "derived"];
export const TYPE = "text/plain";

const MINUTE_MS = 60_000;

export const newProject = (): Id => crypto.getRandomValues(new Uint8Array(12)).toHex();

export const pathIn = (project: Id, filename = "a file.txt"): string =>
  newPath(project, crypto.randomUUID(), filename);

export const aPath = (): string => pathIn(newProject());

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Bytes of which each place can be told from others. */
export function manyBytes(length: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(length / 4)).map((_, i) => Math.imul(i, 2_654_435_761));
  return new Uint8Array(words.buffer, 0, length);
}

export const uploadOf = (
  store: BlobStore,
  path: string,
  bytes: number,
  change: Partial<Upload> = {},
): Upload => ({ path, bytes, contentType: TYPE, expiresAt: store.now() + MINUTE_MS, ...change });

/** An address for an upload that the store knows of. */
export async function addressFor(store: BlobStore, upload: Upload): Promise<string> {
  await store.expect(upload);
  return await store.blobs.signUpload(upload);
}

/** Puts an object in the staged place. */
export async function stage(
  store: BlobStore,
  path: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const address = await addressFor(store, uploadOf(store, path, body.length));
  assert.equal(await store.put(address, { body, contentType: TYPE }), 200);
}

/** Puts an object in the stored place, and nowhere else. */
export async function keep(
  store: BlobStore,
  path: string,
  body: Uint8Array<ArrayBuffer>,
): Promise<void> {
  await stage(store, path, body);
  assert.equal((await store.blobs.publish(path, TYPE))?.bytes, body.length);
  await store.blobs.remove("staged", path);
}

/** All bytes of an object; null when it is not there. */
export async function contents(
  blobs: Blobs,
  place: Place,
  path: string,
): Promise<Uint8Array | null> {
  const stream = await blobs.read(place, path);
  return stream && await new Response(stream).bytes();
}

export async function assertHolds(
  blobs: Blobs,
  place: Place,
  path: string,
  expected: Uint8Array | null,
): Promise<void> {
  const held = await contents(blobs, place, path);
  assert.deepEqual(await blobs.stat(place, path), expected && { bytes: expected.length });
  if (expected === null) return assert.equal(held, null);
  assert.ok(held !== null && sameBytes(held, expected), `${place} holds other bytes`);
}

/** `deepEqual` takes seconds to tell megabytes apart. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

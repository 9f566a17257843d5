import { timestamp } from "../clock.ts";
import { EXTERNAL_FILE_BYTES_MAX, UPLOAD_HOLD_MS, UPLOAD_URL_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import { planOf } from "../projects/plans.ts";
import { UniqueViolation } from "../store/errors.ts";
import { and, compare, eq } from "../store/filter.ts";
import type { Id } from "../store/port.ts";
import { findUsage, NOTHING } from "./ledger.ts";
import { newPath } from "./paths.ts";
import { releaseBatch } from "./release.ts";
import type { FileServices } from "./removals.ts";
import { INTERNAL } from "./stores.ts";
import { STORAGE_USAGE, type StorageUsageRecord, type UploadRecord, UPLOADS } from "./uploads.ts";

/** A file as an application announces it. */
export interface UploadInput {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: number;
}

export interface RequestedUpload {
  readonly signedUrl: string;
  readonly filePath: string;
}

/** Each further one needs that somebody else took the room, or changed the store, meanwhile. */
const TRIES = 20;

/**
 * Holds space for a file, together with its row, and signs the address that takes it. What is
 * refused leaves no trace. Throws `FILE_TOO_LARGE` and `STORAGE_QUOTA_EXCEEDED`, and
 * `STORAGE_UNAVAILABLE` where others come in between again and again.
 */
export async function requestUpload(
  services: FileServices,
  projectId: Id,
  input: UploadInput,
): Promise<RequestedUpload> {
  const filePath = newPath(projectId, crypto.randomUUID(), input.filename);
  for (let tries = 0; tries < TRIES; tries++) {
    const { name: target, blobs } = await services.blobStores.current(projectId);
    const { bytes, contentType } = input;
    refuseTooLarge(projectId, target, bytes);
    await findRoom(services, projectId, { target, bytes });
    const expiresAt = services.clock.now() + UPLOAD_URL_MS;
    const signedUrl = await blobs.signUpload({ path: filePath, bytes, contentType, expiresAt });
    const row = newRow(services, { ...input, path: filePath, target });
    if (await hold(services, projectId, row)) return { signedUrl, filePath };
  }
  throw new Problem("STORAGE_UNAVAILABLE");
}

function refuseTooLarge(projectId: Id, target: string, bytes: number): void {
  const max = target === INTERNAL ? planOf(projectId).fileBytesMax : EXTERNAL_FILE_BYTES_MAX;
  if (bytes <= max) return;
  throw new Problem("FILE_TOO_LARGE", { message: `The file is larger than ${max} bytes.` });
}

function newRow(
  { clock, newId }: Pick<FileServices, "clock" | "newId">,
  upload: UploadInput & { readonly path: string; readonly target: string },
): UploadRecord {
  const { path, filename, contentType, bytes, target } = upload;
  return {
    _id: newId(),
    path,
    filename,
    contentType,
    bytes,
    state: "requested",
    claim: null,
    claimedUntil: null,
    target,
    expiresAt: new Date(clock.now() + UPLOAD_HOLD_MS).toISOString(),
    createdAt: timestamp(clock),
  };
}

/** Most that may be held already for these bytes to fit. */
const roomFor = (projectId: Id, bytes: number): number => planOf(projectId).storageBytes - bytes;

/**
 * Row and space in one transaction, if the space is there and uploads still go to this store;
 * else false, and nothing is done.
 */
async function hold(
  { engine }: Pick<FileServices, "engine">,
  projectId: Id,
  row: UploadRecord,
): Promise<boolean> {
  const { target, bytes } = row;
  const mine = and(eq("_id", projectId), eq("target", target));
  return await engine.transaction(projectId, async (tx) => {
    const usage = tx.records<StorageUsageRecord>(STORAGE_USAGE);
    const held = target === INTERNAL
      ? await usage.updateOne(and(mine, compare("held", "lte", roomFor(projectId, bytes))), {
        increment: { reserved: bytes, held: bytes },
      })
      : await usage.updateOne(mine, { increment: { external: 1 } });
    if (held === null) return false;
    await tx.records<UploadRecord>(UPLOADS).insert(row);
    return true;
  });
}

/**
 * Makes the sums, where there are none so far, and room, where holds that have expired take it.
 * Whether there is room in the end is for {@linkcode hold} to say: here those are turned away who
 * would only be in the way of others. Throws `STORAGE_QUOTA_EXCEEDED`.
 */
async function findRoom(
  services: FileServices,
  projectId: Id,
  { target, bytes }: Pick<UploadRecord, "target" | "bytes">,
): Promise<void> {
  const usage = await findUsage(services, projectId);
  if (usage === null) {
    return await services.engine.records<StorageUsageRecord>(projectId, STORAGE_USAGE)
      .insert({ _id: projectId, ...NOTHING, target })
      .then(() => {}, unlessMade);
  }
  const isFull = (usage: StorageUsageRecord | null) =>
    target === INTERNAL && usage !== null && usage.held > roomFor(projectId, bytes);
  if (!isFull(usage)) return;
  // The reaper will remove their objects: nobody waits for that here.
  const { rows } = await releaseBatch(services, projectId);
  if (rows.length > 0) return;
  // Others may have released them.
  if (isFull(await findUsage(services, projectId))) throw new Problem("STORAGE_QUOTA_EXCEEDED");
}

/** Somebody else made the record at the same moment. */
function unlessMade(error: unknown): void {
  if (!(error instanceof UniqueViolation)) throw error;
}

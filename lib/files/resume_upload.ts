import { createHash } from "node:crypto";
import type { Checksum } from "../http/checksum.ts";
import type { ChunkLimits } from "../http/chunks.ts";
import { RESUMABLE_HOLD_MS, UPLOAD_STALL_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import { isInUse } from "../projects/projects.ts";
import { and, eq } from "../store/filter.ts";
import type { Id } from "../store/port.ts";
import { type Blobs, type PiecedUpload, PiecesLost, type PieceWriter } from "./blobs.ts";
import { removeObjects, removeRow, unclaimed, unexpired } from "./ledger.ts";
import { projectIdOf } from "./paths.ts";
import type { FileServices } from "./removals.ts";
import { findAfterWriter, findOpenUpload, hasWriter, locked, UploadLease } from "./upload_lease.ts";
import type { UploadTokens } from "./upload_tokens.ts";
import { piecedUpload, type UploadRecord } from "./uploads.ts";

export interface ResumeServices extends FileServices {
  readonly uploadTokens: UploadTokens;
}

export interface UploadProgress {
  /** Number of bytes that have arrived. The next piece begins at this offset. */
  readonly offset: number;
  readonly bytes: number;
  /** Time at which the upload expires if no more bytes arrive. */
  readonly expiresAt: string;
}

export interface SentPiece {
  readonly token: string;
  readonly offset: number;
  /** Value of `Content-Length`; null if the request has none. */
  readonly announcedBytes: number | null;
  readonly checksum: Checksum | null;
  chunks(limits: ChunkLimits): AsyncIterable<Uint8Array>;
  /** Reserves memory until the request ends. Throws `SERVER_BUSY`. */
  reserveMemory(bytes: number): void;
}

/** Returns the progress of an upload. Throws `UPLOAD_TOKEN_INVALID` and `UPLOAD_GONE`. */
export async function findProgress(
  services: ResumeServices,
  token: string,
): Promise<UploadProgress> {
  const { projectId, path } = await resolveToken(services, token);
  const row = await findAfterWriter(services, projectId, path);
  return progressOf(row, await countArrived(await storeOf(services, projectId, row), row));
}

/**
 * Receives bytes of an upload, beginning at its current offset. If the connection breaks, the bytes
 * that arrived are kept. Bytes with a wrong checksum, or beyond the upload's length, are dropped.
 * Throws `UPLOAD_TOKEN_INVALID`, `UPLOAD_GONE`, `UPLOAD_LOCKED`, `UPLOAD_OFFSET_MISMATCH`,
 * `UPLOAD_TOO_LONG`, `CHECKSUM_MISMATCH`, `REQUEST_TIMEOUT` and `SERVER_BUSY`.
 */
export async function resumeUpload(
  services: ResumeServices,
  sent: SentPiece,
): Promise<UploadProgress> {
  const { projectId, path } = await resolveToken(services, sent.token);
  const found = await findOpenUpload(services, projectId, path);
  if (sent.offset + (sent.announcedBytes ?? 0) > found.bytes) throw new Problem("UPLOAD_TOO_LONG");
  await using lease = await UploadLease.acquire(services, projectId, path);
  const blobs = await storeOf(services, projectId, lease.row);
  const hadWriter = hasWriter(found, services.clock);
  const arrived = await startOffset(blobs, lease.row, { offset: sent.offset, hadWriter });
  const upload = piecedUpload(lease.row);
  // Record a loss first: bytes with an unverified checksum must not take the place of lost bytes.
  if (arrived < lease.safeBytes) await lease.recordProgress({ arrived });
  try {
    const name = lease.row.pieces ?? await beginPieces(lease, blobs, upload);
    const reserveMemory = (bytes: number) => sent.reserveMemory(bytes);
    await using writer = await blobs.pieces.resume(upload, { name, arrived }, reserveMemory);
    return progressOf(await receivePiece(lease, writer, sent), writer.safeBytes);
  } catch (error) {
    if (!(error instanceof PiecesLost)) throw error;
    await lease.recordProgress({ pieces: null, arrived: 0 });
    throw new Problem("UPLOAD_OFFSET_MISMATCH", {
      message: "The store has lost the bytes that had arrived: start again.",
    });
  }
}

/**
 * Drops bytes that a former connection wrote after the client asked for the offset, because the
 * client sends them again. Throws `UPLOAD_OFFSET_MISMATCH`.
 */
async function startOffset(
  blobs: Blobs,
  row: UploadRecord,
  { offset, hadWriter }: { readonly offset: number; readonly hadWriter: boolean },
): Promise<number> {
  const arrived = await countArrived(blobs, row);
  if (offset === arrived) return arrived;
  const goesBack = hadWriter && offset < arrived &&
    await countArrived(blobs, { ...row, arrived: offset }) === offset;
  if (goesBack) return offset;
  throw new Problem("UPLOAD_OFFSET_MISMATCH", {
    message: `${arrived} bytes have arrived: continue from there.`,
  });
}

/** Ends an unconfirmed upload. Throws `UPLOAD_TOKEN_INVALID`, `UPLOAD_GONE`, `UPLOAD_LOCKED`. */
export async function cancelUpload(services: ResumeServices, token: string): Promise<void> {
  const { projectId, path } = await resolveToken(services, token);
  const open = and(eq("path", path), unexpired(services.clock), unclaimed(services.clock));
  const removed = await removeRow(services, projectId, open);
  if (removed.rows.length === 0) {
    await findOpenUpload(services, projectId, path);
    throw locked();
  }
  await removeObjects(services, projectId, removed);
}

/** Returns the upload that a token is for. Throws `UPLOAD_TOKEN_INVALID` and `UPLOAD_GONE`. */
async function resolveToken(
  services: ResumeServices,
  token: string,
): Promise<{ readonly projectId: Id; readonly path: string }> {
  const path = services.uploadTokens.readResumable(token);
  if (path === null) throw new Problem("UPLOAD_TOKEN_INVALID");
  const projectId = projectIdOf(path)!;
  if (!await isInUse(services, projectId)) throw new Problem("UPLOAD_GONE");
  return { projectId, path };
}

const storeOf = ({ blobStores }: ResumeServices, projectId: Id, row: UploadRecord) =>
  blobStores.blobsOf(projectId, row.target);

async function countArrived({ pieces }: Blobs, row: UploadRecord): Promise<number> {
  const { pieces: name = null, arrived = 0 } = row;
  return name === null ? 0 : await pieces.countArrived(piecedUpload(row), { name, arrived });
}

function progressOf({ bytes, expiresAt }: UploadRecord, offset: number): UploadProgress {
  return { offset, bytes, expiresAt: expiresAt! };
}

async function beginPieces(
  lease: UploadLease,
  blobs: Blobs,
  upload: PiecedUpload,
): Promise<string> {
  const pieces = await blobs.pieces.begin(upload);
  await lease.recordProgress({ pieces, arrived: 0 });
  return pieces;
}

/** Writes the bytes of a piece, and keeps those that arrived even if the request fails. */
async function receivePiece(
  lease: UploadLease,
  writer: PieceWriter,
  sent: SentPiece,
): Promise<UploadRecord> {
  const record = () => lease.recordProgress({ arrived: writer.safeBytes });
  try {
    await writeChunks(lease, writer, sent);
  } catch (error) {
    // Bytes with an unverified checksum are not kept.
    if (sent.checksum === null && !(error instanceof PiecesLost)) {
      await writer.flush(record).then(record).catch(() => {});
    }
    throw error;
  }
  await writer.flush(record);
  return await record();
}

async function writeChunks(
  lease: UploadLease,
  writer: PieceWriter,
  { offset, checksum, chunks }: SentPiece,
): Promise<void> {
  const hash = checksum && createHash(checksum.algorithm);
  const limits = { stallMs: UPLOAD_STALL_MS, totalMs: RESUMABLE_HOLD_MS, signal: lease.signal };
  let left = lease.row.bytes - offset;
  for await (const chunk of chunks(limits)) {
    left -= chunk.length;
    if (left < 0) throw new Problem("UPLOAD_TOO_LONG");
    hash?.update(chunk);
    await writer.write(chunk);
    lease.signal.throwIfAborted();
    if (hash === null) lease.safeBytes = writer.safeBytes;
  }
  if (checksum !== null && !hash!.digest().equals(checksum.digest)) {
    throw new Problem("CHECKSUM_MISMATCH");
  }
}

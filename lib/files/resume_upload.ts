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
import { projectOf } from "./paths.ts";
import type { FileServices } from "./removals.ts";
import { findOpen, findSettled, isHeld, locked, UploadTurn } from "./upload_turn.ts";
import type { UploadTokens } from "./upload_tokens.ts";
import { piecedUpload, type UploadRecord } from "./uploads.ts";

export interface ResumeServices extends FileServices {
  readonly uploadTokens: UploadTokens;
}

/** How far an upload has come. */
export interface UploadProgress {
  /** Bytes that have arrived: the next ones are sent from here on. */
  readonly offset: number;
  readonly bytes: number;
  /** When it is given up if nothing more arrives. */
  readonly expiresAt: string;
}

/** Bytes of an upload, from some place on. */
export interface SentPiece {
  readonly token: string;
  readonly offset: number;
  /** How many, as announced; null where they were not. */
  readonly announced: number | null;
  readonly checksum: Checksum | null;
  chunks(limits: ChunkLimits): AsyncIterable<Uint8Array>;
  /** Told of the memory that is taken until the request ends. Throws `SERVER_BUSY`. */
  hold(bytes: number): void;
}

/** Throws `UPLOAD_TOKEN_INVALID` and `UPLOAD_GONE`. */
export async function findProgress(
  services: ResumeServices,
  token: string,
): Promise<UploadProgress> {
  const { projectId, path } = await addressed(services, token);
  const row = await findSettled(services, projectId, path);
  return progressOf(row, await arrivedOf(await storeOf(services, projectId, row), row));
}

/**
 * Takes bytes of an upload, from where it has come to. What arrived before a connection breaks is
 * kept; of bytes with a wrong checksum, and of those behind the upload's length, nothing is.
 * Throws `UPLOAD_TOKEN_INVALID`, `UPLOAD_GONE`, `UPLOAD_LOCKED`, `UPLOAD_OFFSET_MISMATCH`,
 * `UPLOAD_TOO_LONG`, `CHECKSUM_MISMATCH`, `REQUEST_TIMEOUT` and `SERVER_BUSY`.
 */
export async function resumeUpload(
  services: ResumeServices,
  sent: SentPiece,
): Promise<UploadProgress> {
  const { projectId, path } = await addressed(services, sent.token);
  const found = await findOpen(services, projectId, path);
  if (sent.offset + (sent.announced ?? 0) > found.bytes) throw new Problem("UPLOAD_TOO_LONG");
  await using turn = await UploadTurn.take(services, projectId, path);
  const blobs = await storeOf(services, projectId, turn.row);
  const wasHeld = isHeld(found, services.clock);
  const arrived = await startOf(blobs, turn.row, { offset: sent.offset, wasHeld });
  const upload = piecedUpload(turn.row);
  // What is missing there is not made up for by what is written before its checksum is known.
  if (arrived < turn.safe) await turn.note({ arrived });
  try {
    const name = turn.row.pieces ?? await begin(turn, blobs, upload);
    const hold = (bytes: number) => sent.hold(bytes);
    await using writer = await blobs.pieces.goOn(upload, { name, arrived }, hold);
    return progressOf(await take(turn, writer, sent), writer.safe);
  } catch (error) {
    if (!(error instanceof PiecesLost)) throw error;
    await turn.note({ pieces: null, arrived: 0 });
    throw new Problem("UPLOAD_OFFSET_MISMATCH", {
      message: "The store has lost what had arrived: begin anew.",
    });
  }
}

/**
 * Returns the offset that bytes may be written from. Where the turn was taken from another connection,
 * what that one brought since the client asked for the offset is given up, because the client sends it
 * again. Throws `UPLOAD_OFFSET_MISMATCH`.
 */
async function startOf(
  blobs: Blobs,
  row: UploadRecord,
  { offset, wasHeld }: { readonly offset: number; readonly wasHeld: boolean },
): Promise<number> {
  const arrived = await arrivedOf(blobs, row);
  if (offset === arrived) return arrived;
  const goesBack = wasHeld && offset < arrived &&
    await arrivedOf(blobs, { ...row, arrived: offset }) === offset;
  if (goesBack) return offset;
  throw new Problem("UPLOAD_OFFSET_MISMATCH", {
    message: `${arrived} bytes have arrived: go on from there.`,
  });
}

/**
 * Ends an upload that is not confirmed, and gives its space back. Throws `UPLOAD_TOKEN_INVALID` and
 * `UPLOAD_GONE`, and `UPLOAD_LOCKED` while a confirm of it is at work.
 */
export async function cancelUpload(services: ResumeServices, token: string): Promise<void> {
  const { projectId, path } = await addressed(services, token);
  const open = and(eq("path", path), unexpired(services.clock), unclaimed(services.clock));
  const removed = await removeRow(services, projectId, open);
  if (removed.rows.length === 0) {
    await findOpen(services, projectId, path);
    throw locked();
  }
  await removeObjects(services, projectId, removed);
}

/** The upload that a token is for. */
async function addressed(
  services: ResumeServices,
  token: string,
): Promise<{ readonly projectId: Id; readonly path: string }> {
  const path = services.uploadTokens.readResumable(token);
  if (path === null) throw new Problem("UPLOAD_TOKEN_INVALID");
  const projectId = projectOf(path)!;
  if (!await isInUse(services, projectId)) throw new Problem("UPLOAD_GONE");
  return { projectId, path };
}

const storeOf = ({ blobStores }: ResumeServices, projectId: Id, row: UploadRecord) =>
  blobStores.named(projectId, row.target);

/** What the row has noted, as far as the store has it. */
async function arrivedOf({ pieces }: Blobs, row: UploadRecord): Promise<number> {
  const { pieces: name = null, arrived = 0 } = row;
  return name === null ? 0 : await pieces.arrived(piecedUpload(row), { name, arrived });
}

function progressOf({ bytes, expiresAt }: UploadRecord, offset: number): UploadProgress {
  return { offset, bytes, expiresAt: expiresAt! };
}

async function begin(turn: UploadTurn, blobs: Blobs, upload: PiecedUpload): Promise<string> {
  const pieces = await blobs.pieces.begin(upload);
  await turn.note({ pieces, arrived: 0 });
  return pieces;
}

/** Writes what comes, and keeps it, also when no more does. */
async function take(turn: UploadTurn, writer: PieceWriter, sent: SentPiece): Promise<UploadRecord> {
  const note = () => turn.note({ arrived: writer.safe });
  try {
    await write(turn, writer, sent);
  } catch (error) {
    // What may be wrong is nothing to go on behind.
    if (sent.checksum === null && !(error instanceof PiecesLost)) {
      await writer.keep(note).then(note).catch(() => {});
    }
    throw error;
  }
  await writer.keep(note);
  return await note();
}

async function write(
  turn: UploadTurn,
  writer: PieceWriter,
  { offset, checksum, chunks }: SentPiece,
): Promise<void> {
  const hash = checksum && createHash(checksum.algorithm);
  const limits = { stallMs: UPLOAD_STALL_MS, wholeMs: RESUMABLE_HOLD_MS, signal: turn.signal };
  let left = turn.row.bytes - offset;
  for await (const chunk of chunks(limits)) {
    left -= chunk.length;
    if (left < 0) throw new Problem("UPLOAD_TOO_LONG");
    hash?.update(chunk);
    await writer.write(chunk);
    turn.signal.throwIfAborted();
    if (hash === null) turn.safe = writer.safe;
  }
  if (checksum !== null && !hash!.digest().equals(checksum.digest)) {
    throw new Problem("CHECKSUM_MISMATCH");
  }
}

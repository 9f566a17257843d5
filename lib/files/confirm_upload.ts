import { timestamp } from "../clock.ts";
import { randomToken } from "../crypto/random.ts";
import { readAllBytes } from "../http/bounded_reader.ts";
import { CONFIRM_CLAIM_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import { and, eq } from "../store/filter.ts";
import type { Filter, Id } from "../store/port.ts";
import { BLOB_CALL_MS, type Blobs, PiecesLost, PUBLISH_MS, type PublishedBlob } from "./blobs.ts";
import {
  addRow,
  addSums,
  isExpired,
  NO_SUMS,
  removeObjects,
  removeRow,
  subtractSums,
  UNCLAIMED,
  unclaimed,
  unexpired,
} from "./ledger.ts";
import { HEAD_BYTES, isDetectable, matchesType } from "./real_type.ts";
import { type FileServices, removeLeftover } from "./removals.ts";
import { publicUrlOf } from "./public_url.ts";
import { providerOf, type StorageProvider } from "./stores.ts";
import {
  filePlaceOf,
  type FileScope,
  findInScope,
  findUpload,
  inScope,
  piecedUpload,
  type UploadRecord,
  UPLOADS,
  type Visibility,
  visibilityOf,
} from "./uploads.ts";

export interface ConfirmInput {
  readonly path: string;
  readonly bytes: number;
}

export interface ConfirmedUpload {
  readonly path: string;
  readonly provider: StorageProvider;
  /** Public URL; null if the file is private or its store has no public URL. */
  readonly url: string | null;
  readonly visibility: Visibility;
}

/**
 * Publishes and charges an uploaded file once; a further call returns the same result. Throws
 * `FILE_NOT_FOUND`, `UPLOAD_NOT_READY`, `SIZE_MISMATCH` and `TYPE_MISMATCH`. If the uploaded object
 * itself has another length or type, removes the upload.
 */
export async function confirmUpload(
  services: FileServices,
  scope: FileScope,
  input: ConfirmInput,
): Promise<ConfirmedUpload> {
  const { projectId } = scope;
  const claimed = await claim(services, scope, input);
  const isDone = claimed !== null && await finishClaimed(services, projectId, claimed);
  const row = isDone ? claimed : await findConfirmed(services, scope, input);
  const { path, target } = row;
  const url = await publicUrlOf(services, projectId, row);
  return { path, provider: providerOf(target), url, visibility: visibilityOf(row) };
}

/** Claims the row for this confirm; null if no unclaimed row matches. */
async function claim(
  { engine, clock }: FileServices,
  scope: FileScope,
  { path, bytes }: ConfirmInput,
): Promise<UploadRecord | null> {
  const isUpload = and(eq("path", path), inScope(scope), eq("bytes", bytes));
  const claimed = await engine.records<UploadRecord>(scope.projectId, UPLOADS).updateOne(
    and(isUpload, unexpired(clock), unclaimed(clock)),
    {
      set: {
        state: "copying",
        claim: randomToken(16),
        claimedUntil: new Date(clock.now() + CONFIRM_CLAIM_MS).toISOString(),
      },
    },
  );
  return claimed?.value ?? null;
}

/** Matches the row while this confirm still has its claim. */
const stillClaimed = ({ path, claim }: UploadRecord): Filter =>
  and(eq("path", path), eq("state", "copying"), eq("claim", claim));

/** Publishes the object and commits. Returns false if the claim was lost in the meantime. */
async function finishClaimed(
  services: FileServices,
  projectId: Id,
  row: UploadRecord,
): Promise<boolean> {
  try {
    const blobs = await services.blobStores.blobsOf(projectId, row.target);
    const published = await placeObject(services, blobs, row);
    const problem = published.bytes === row.bytes ? await checkType(blobs, row) : sizeProblem();
    if (problem !== null) return await rejectUpload(services, projectId, { row, problem });
    if (await commit(services, projectId, row)) {
      await removeStaged(services, blobs, { row, published });
      return true;
    }
  } catch (error) {
    const areLost = error instanceof PiecesLost;
    await releaseClaim(services, projectId, row, areLost ? { pieces: null, arrived: 0 } : {});
    throw areLost ? notReady() : error;
  }
  // If the row was removed in the meantime, its removal did not include the published object.
  if (await findUpload(services, projectId, row.path) === null) {
    await removeLeftover(services, projectId, row);
  }
  return false;
}

/** Returns the length; a wrong one is not published. Throws `UPLOAD_NOT_READY`, `PiecesLost`. */
async function placeObject(
  { clock }: FileServices,
  blobs: Blobs,
  row: UploadRecord,
): Promise<PublishedBlob> {
  const { path, contentType, bytes, claimedUntil } = row;
  // A late publish could replace an object that another confirm has published under its own claim.
  const assertTime = () => {
    const left = Date.parse(claimedUntil!) - clock.now();
    if (left < PUBLISH_MS + BLOB_CALL_MS) throw notReady();
  };
  const pieces = await completePieces(blobs, row);
  if (pieces !== null) {
    assertTime();
    const joined = await blobs.pieces.join(piecedUpload(row), pieces);
    if (joined !== null) return joined;
  }
  const staged = await blobs.stat("staged", path);
  if (staged === null) {
    // A confirm that died may have published the object. No other upload uses this path.
    const stored = await blobs.stat(filePlaceOf(row), path);
    if (stored === null) throw pieces === null ? notReady() : new PiecesLost();
    return stored;
  }
  if (staged.bytes !== bytes) return staged;
  assertTime();
  const stored = await blobs.publish(path, contentType, filePlaceOf(row));
  if (stored === null) throw notReady();
  return stored;
}

/** Returns the name of a complete resumable upload, else null. tus sends no request for 0 bytes. */
async function completePieces(blobs: Blobs, row: UploadRecord): Promise<string | null> {
  const { bytes, pieces: name, arrived } = row;
  if (bytes === 0) return name ?? "";
  if (typeof name !== "string" || arrived !== bytes) return null;
  return await blobs.pieces.countArrived(piecedUpload(row), { name, arrived }) === bytes
    ? name
    : null;
}

/** Checks the type of the published object, because a staged object may still be replaced. */
async function checkType(blobs: Blobs, row: UploadRecord): Promise<Problem | null> {
  const { path, contentType, bytes } = row;
  if (!isDetectable(contentType) || bytes === 0) return null;
  const head = { offset: 0, length: Math.min(bytes, HEAD_BYTES) };
  const stream = await blobs.read(filePlaceOf(row), path, head);
  if (stream === null) throw notReady();
  const first = await readAllBytes(stream as ReadableStream<Uint8Array<ArrayBuffer>>, {
    bytesMax: HEAD_BYTES,
  });
  return await matchesType(contentType, first) ? null : new Problem("TYPE_MISMATCH");
}

const RETRY_SECONDS = 1;

const notReady = () => new Problem("UPLOAD_NOT_READY", { retryAfter: RETRY_SECONDS });

/** Confirms the row and charges it in one transaction. Returns false if the claim was lost. */
async function commit(
  { engine }: FileServices,
  projectId: Id,
  row: UploadRecord,
): Promise<boolean> {
  const before = addRow(NO_SUMS, row);
  return await engine.transaction(projectId, async (tx) => {
    const done = await tx.records<UploadRecord>(UPLOADS).updateOne(stillClaimed(row), {
      // Ends the lease of a connection that still writes.
      set: { state: "confirmed", claim: null, claimedUntil: null, expiresAt: null, writer: null },
    });
    if (done === null) return false;
    await addSums(tx, projectId, subtractSums(addRow(NO_SUMS, done.value), before));
    return true;
  });
}

const sizeProblem = () =>
  new Problem("SIZE_MISMATCH", {
    message: "Another number of bytes arrived than was requested: request a new upload.",
  });

/** Removes an upload whose object has a wrong length or type, and throws `problem`. */
async function rejectUpload(
  services: FileServices,
  projectId: Id,
  { row, problem }: { readonly row: UploadRecord; readonly problem: Problem },
): Promise<false> {
  const removed = await removeRow(services, projectId, stillClaimed(row));
  if (removed.rows.length === 0) return false;
  await removeObjects(services, projectId, removed);
  throw problem;
}

/** Removes what is left of the upload. If that fails, the reaper removes it later. */
async function removeStaged(
  { log }: FileServices,
  blobs: Blobs,
  { row: { path, pieces }, published }: {
    readonly row: UploadRecord;
    readonly published: PublishedBlob;
  },
): Promise<void> {
  try {
    if (!published.wasMoved) await blobs.remove("staged", path);
    if (typeof pieces === "string") await blobs.pieces.remove(path);
  } catch (error) {
    log.write("warn", "A staged object stays", { path, error: String(error) });
  }
}

/** Releases the claim, so that another confirm can try. If that fails, the claim lapses. */
async function releaseClaim(
  { engine, log }: FileServices,
  projectId: Id,
  row: UploadRecord,
  change: Partial<UploadRecord>,
): Promise<void> {
  try {
    await engine.records<UploadRecord>(projectId, UPLOADS).updateOne(stillClaimed(row), {
      set: { ...UNCLAIMED, ...change },
    });
  } catch (error) {
    log.write("warn", "A claim is left to lapse", { path: row.path, error: String(error) });
  }
}

/** Returns the row of an upload that is already confirmed, or throws the reason why it is not. */
async function findConfirmed(
  services: FileServices,
  scope: FileScope,
  { path, bytes }: ConfirmInput,
): Promise<UploadRecord> {
  const row = await findInScope(services, scope, path);
  if (row === null || isExpired(row, timestamp(services.clock))) {
    throw new Problem("FILE_NOT_FOUND");
  }
  if (row.bytes !== bytes) throw new Problem("SIZE_MISMATCH");
  if (row.state !== "confirmed") throw notReady();
  return row;
}

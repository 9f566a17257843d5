import { timestamp } from "../clock.ts";
import { randomToken } from "../crypto/random.ts";
import { readWhole } from "../http/bounded_reader.ts";
import { CONFIRM_CLAIM_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import { and, eq } from "../store/filter.ts";
import type { Filter, Id } from "../store/port.ts";
import { BLOB_CALL_MS, type Blobs, PiecesLost, PUBLISH_MS, type Published } from "./blobs.ts";
import {
  addSums,
  isOver,
  minus,
  NOTHING,
  plus,
  removeObjects,
  removeRow,
  UNCLAIMED,
  unclaimed,
  unexpired,
} from "./ledger.ts";
import { canBe, HEAD_BYTES, isTold } from "./real_type.ts";
import { type FileServices, removeLeftover } from "./removals.ts";
import { publicUrlOf } from "./public_url.ts";
import { providerOf, type StorageProvider } from "./stores.ts";
import {
  type FileScope,
  findInScope,
  findUpload,
  inScope,
  piecedUpload,
  placeOf,
  type UploadRecord,
  UPLOADS,
  type Visibility,
  visibilityOf,
} from "./uploads.ts";

/** An upload as an application confirms it. */
export interface ConfirmInput {
  readonly path: string;
  readonly bytes: number;
}

export interface ConfirmedUpload {
  readonly path: string;
  readonly provider: StorageProvider;
  /** Null for a private file, and where the store has no public address. */
  readonly url: string | null;
  readonly visibility: Visibility;
}

/**
 * Puts what was uploaded in its place and charges it, once. A confirmed upload answers the same
 * and is not touched. Throws `FILE_NOT_FOUND`; `UPLOAD_NOT_READY`, which changes nothing; and
 * `SIZE_MISMATCH` and `TYPE_MISMATCH`, after which the upload is over if it is the object that has
 * another length or type.
 */
export async function confirmUpload(
  services: FileServices,
  scope: FileScope,
  input: ConfirmInput,
): Promise<ConfirmedUpload> {
  const { projectId } = scope;
  const claimed = await claim(services, scope, input);
  const isMine = claimed !== null && await settle(services, projectId, claimed);
  const row = isMine ? claimed : await settledByOthers(services, scope, input);
  const { path, target } = row;
  const url = await publicUrlOf(services, projectId, row);
  return { path, provider: providerOf(target), url, visibility: visibilityOf(row) };
}

/** Takes the row for this confirm alone; null when there is none to be taken. */
async function claim(
  { engine, clock }: FileServices,
  scope: FileScope,
  { path, bytes }: ConfirmInput,
): Promise<UploadRecord | null> {
  const its = and(eq("path", path), inScope(scope), eq("bytes", bytes));
  const taken = await engine.records<UploadRecord>(scope.projectId, UPLOADS).updateOne(
    and(its, unexpired(clock), unclaimed(clock)),
    {
      set: {
        state: "copying",
        claim: randomToken(16),
        claimedUntil: new Date(clock.now() + CONFIRM_CLAIM_MS).toISOString(),
      },
    },
  );
  return taken?.value ?? null;
}

/** The row as long as nobody else has taken it since. */
const stillMine = ({ path, claim }: UploadRecord): Filter =>
  and(eq("path", path), eq("state", "copying"), eq("claim", claim));

/** Puts the object in its place and commits; false when the claim was lost on the way. */
async function settle(
  services: FileServices,
  projectId: Id,
  row: UploadRecord,
): Promise<boolean> {
  try {
    const blobs = await services.blobStores.named(projectId, row.target);
    const placed = await place(services, blobs, row);
    const problem = placed.bytes === row.bytes ? await typeProblem(blobs, row) : otherLength();
    if (problem !== null) return await refuseArrived(services, projectId, { row, problem });
    if (await commit(services, projectId, row)) {
      await removeStaged(services, blobs, { row, placed });
      return true;
    }
  } catch (error) {
    const isLost = error instanceof PiecesLost;
    await giveBack(services, projectId, row, isLost ? { pieces: null, arrived: 0 } : {});
    throw isLost ? notReady() : error;
  }
  // Whoever removed the row could not know of what was put in place meanwhile.
  if (await findUpload(services, projectId, row.path) === null) {
    await removeLeftover(services, projectId, row);
  }
  return false;
}

/**
 * Resolves to what lies in the place of what is stored, or should. Throws `UPLOAD_NOT_READY`, and
 * `PiecesLost` where the store has dropped all that had arrived.
 */
async function place(
  { clock }: FileServices,
  blobs: Blobs,
  row: UploadRecord,
): Promise<Published> {
  const { path, contentType, bytes, claimedUntil } = row;
  // What is published late could replace what another claim has confirmed by then.
  const assertTime = () => {
    const left = Date.parse(claimedUntil!) - clock.now();
    if (left < PUBLISH_MS + BLOB_CALL_MS) throw notReady();
  };
  const pieces = await wholePieces(blobs, row);
  if (pieces !== null) {
    assertTime();
    const joined = await blobs.pieces.join(piecedUpload(row), pieces);
    if (joined !== null) return joined;
  }
  const staged = await blobs.stat("staged", path);
  if (staged === null) {
    // A confirm that died may have come as far: what lies there can only be of this upload.
    const stored = await blobs.stat(placeOf(row), path);
    if (stored === null) throw pieces === null ? notReady() : new PiecesLost();
    return stored;
  }
  if (staged.bytes !== bytes) return staged;
  assertTime();
  const stored = await blobs.publish(path, contentType, placeOf(row));
  if (stored === null) throw notReady();
  return stored;
}

/**
 * The name of an upload in pieces all of which has arrived, and is there; else null. An upload of 0
 * bytes has always arrived: clients of tus send no request for nothing.
 */
async function wholePieces(blobs: Blobs, row: UploadRecord): Promise<string | null> {
  const { bytes, pieces: name, arrived } = row;
  if (bytes === 0) return name ?? "";
  if (typeof name !== "string" || arrived !== bytes) return null;
  return await blobs.pieces.arrived(piecedUpload(row), { name, arrived }) === bytes ? name : null;
}

/** What lies in its place is looked at: what is staged may still be replaced. */
async function typeProblem(blobs: Blobs, row: UploadRecord): Promise<Problem | null> {
  const { path, contentType, bytes } = row;
  if (!isTold(contentType) || bytes === 0) return null;
  const head = { offset: 0, length: Math.min(bytes, HEAD_BYTES) };
  const stream = await blobs.read(placeOf(row), path, head);
  if (stream === null) throw notReady();
  const first = await readWhole(stream as ReadableStream<Uint8Array<ArrayBuffer>>, {
    bytesMax: HEAD_BYTES,
  });
  return await canBe(contentType, first) ? null : new Problem("TYPE_MISMATCH");
}

const RETRY_SECONDS = 1;

const notReady = () => new Problem("UPLOAD_NOT_READY", { retryAfter: RETRY_SECONDS });

/** Row and charge in one transaction; false when the claim does not stand any more. */
async function commit(
  { engine }: FileServices,
  projectId: Id,
  row: UploadRecord,
): Promise<boolean> {
  const before = plus(NOTHING, row);
  return await engine.transaction(projectId, async (tx) => {
    const done = await tx.records<UploadRecord>(UPLOADS).updateOne(stillMine(row), {
      // Whoever still brings bytes has lost the turn.
      set: { state: "confirmed", claim: null, claimedUntil: null, expiresAt: null, writer: null },
    });
    if (done === null) return false;
    await addSums(tx, projectId, minus(plus(NOTHING, done.value), before));
    return true;
  });
}

const otherLength = () =>
  new Problem("SIZE_MISMATCH", {
    message: "Another number of bytes arrived than was requested: request a new upload.",
  });

/** Ends an upload of something else than was announced, and throws why. */
async function refuseArrived(
  services: FileServices,
  projectId: Id,
  { row, problem }: { readonly row: UploadRecord; readonly problem: Problem },
): Promise<false> {
  const removed = await removeRow(services, projectId, stillMine(row));
  if (removed.rows.length === 0) return false;
  await removeObjects(services, projectId, removed);
  throw problem;
}

/** The reaper finds what stays. */
async function removeStaged(
  { log }: FileServices,
  blobs: Blobs,
  { row: { path, pieces }, placed }: { readonly row: UploadRecord; readonly placed: Published },
): Promise<void> {
  try {
    if (!placed.wasMoved) await blobs.remove("staged", path);
    if (typeof pieces === "string") await blobs.pieces.remove(path);
  } catch (error) {
    log.write("warn", "A staged object stays", { path, error: String(error) });
  }
}

/** For another confirm to try. A claim that cannot be given back lapses by itself. */
async function giveBack(
  { engine, log }: FileServices,
  projectId: Id,
  row: UploadRecord,
  change: Partial<UploadRecord>,
): Promise<void> {
  try {
    await engine.records<UploadRecord>(projectId, UPLOADS).updateOne(stillMine(row), {
      set: { ...UNCLAIMED, ...change },
    });
  } catch (error) {
    log.write("warn", "A claim is left to lapse", { path: row.path, error: String(error) });
  }
}

/** The row, if it is confirmed; throws why it cannot be, or cannot be now. */
async function settledByOthers(
  services: FileServices,
  scope: FileScope,
  { path, bytes }: ConfirmInput,
): Promise<UploadRecord> {
  const row = await findInScope(services, scope, path);
  if (row === null || isOver(row, timestamp(services.clock))) throw new Problem("FILE_NOT_FOUND");
  if (row.bytes !== bytes) throw new Problem("SIZE_MISMATCH");
  if (row.state !== "confirmed") throw notReady();
  return row;
}

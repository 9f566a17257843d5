import type { Clock } from "../clock.ts";
import type { ChunkLimits } from "../http/chunks.ts";
import { CACHE_MS, UPLOAD_STALL_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import { isInUse } from "../projects/projects.ts";
import type { Engine, Id } from "../store/port.ts";
import type { UploadGrant } from "./blobs.ts";
import type { IncomingUpload, LocalFiles } from "./local_files.ts";
import { projectIdOf } from "./paths.ts";
import { type BlobStores, INTERNAL_TARGET } from "./stores.ts";
import type { UploadTokens } from "./upload_tokens.ts";
import { findUpload, type UploadRecord } from "./uploads.ts";

export interface ReceiveServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly blobStores: BlobStores;
  readonly localFiles: LocalFiles | null;
  readonly uploadTokens: UploadTokens;
}

export interface SentUpload {
  readonly token: string;
  readonly contentType: string | null;
  /** Value of `Content-Length`; null if the request has none. */
  readonly bytes: number | null;
  chunks(limits: ChunkLimits): AsyncIterable<Uint8Array>;
}

/**
 * Receives the bytes of an upload and stages them. Everything that can be checked before the bytes
 * is checked first. Throws `UPLOAD_TOKEN_INVALID`, `UPLOAD_TYPE_MISMATCH`, `UPLOAD_TOO_LONG`,
 * `UPLOAD_TOO_SHORT`, `UPLOAD_FINISHED`, `RATE_LIMITED`, `REQUEST_TIMEOUT`.
 */
export async function receiveUpload(
  services: ReceiveServices,
  sent: SentUpload,
): Promise<UploadGrant> {
  const { localFiles, clock, blobStores } = services;
  const upload = services.uploadTokens.read(sent.token);
  if (localFiles === null || upload === null || upload.expiresAt <= clock.now()) {
    throw new Problem("UPLOAD_TOKEN_INVALID");
  }
  if (sent.contentType !== upload.contentType) throw new Problem("UPLOAD_TYPE_MISMATCH");
  if (sent.bytes !== null) assertLength(sent.bytes, upload);
  const { path } = upload;
  const projectId = projectIdOf(path)!;
  if (!await isInUse(services, projectId)) throw new Problem("UPLOAD_FINISHED");
  const endsAt = reservationEnd(services, await findUpload(services, projectId, path));
  if (endsAt === null) throw new Problem("UPLOAD_FINISHED");
  using watch = watchUpload(services, projectId, path);
  await using incoming = await localFiles.receive(path, watch.end);
  if (incoming === null) throw new Problem("RATE_LIMITED", { retryAfter: RETRY_SECONDS });
  const { signal } = watch;
  const limits = { stallMs: UPLOAD_STALL_MS, totalMs: endsAt - clock.now(), signal };
  await writeChunks(incoming, upload, sent.chunks(limits));
  try {
    await incoming.stage();
  } finally {
    // The process that ended the upload may have removed the staged object too early.
    await assertStillOpen(services, projectId, path, blobStores);
  }
  return upload;
}

const RETRY_SECONDS = 5;

interface UploadWatch extends Disposable {
  /** Aborted with `UPLOAD_FINISHED` when the upload is over. */
  readonly signal: AbortSignal;
  end(): void;
}

/** Aborts the upload when its row ends, up to `CACHE_MS` later if another process ends it. */
function watchUpload(services: ReceiveServices, projectId: Id, path: string): UploadWatch {
  const control = new AbortController();
  const end = () => control.abort(new Problem("UPLOAD_FINISHED"));
  const watch = setInterval(async () => {
    // If the store is unavailable, the upload fails at its end.
    const row = await findUpload(services, projectId, path).catch(() => undefined);
    if (row !== undefined && reservationEnd(services, row) === null) end();
  }, CACHE_MS);
  return { signal: control.signal, end, [Symbol.dispose]: () => clearInterval(watch) };
}

async function writeChunks(
  incoming: IncomingUpload,
  upload: UploadGrant,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  let arrived = 0;
  for await (const chunk of chunks) {
    arrived += chunk.length;
    if (arrived > upload.bytes) break;
    incoming.write(chunk);
  }
  assertLength(arrived, upload);
}

function assertLength(bytes: number, upload: UploadGrant): void {
  if (bytes > upload.bytes) throw new Problem("UPLOAD_TOO_LONG");
  if (bytes < upload.bytes) throw new Problem("UPLOAD_TOO_SHORT");
}

/** Returns milliseconds since 1970; null if over. A confirm that is too early frees its claim. */
function reservationEnd({ clock }: { clock: Clock }, row: UploadRecord | null): number | null {
  if (row === null || row.target !== INTERNAL_TARGET || row.state === "confirmed") return null;
  const endsAt = Date.parse(row.expiresAt!);
  return endsAt > clock.now() ? endsAt : null;
}

const isUnclaimed = ({ state, claimedUntil }: UploadRecord, now: number): boolean =>
  state === "requested" || (state === "copying" && Date.parse(claimedUntil!) <= now);

/** Throws `UPLOAD_FINISHED` if over, removing the staged object unless a confirm claims it. */
async function assertStillOpen(
  services: ReceiveServices,
  projectId: Id,
  path: string,
  { internal }: BlobStores,
): Promise<void> {
  const row = await findUpload(services, projectId, path);
  if (
    row !== null && reservationEnd(services, row) !== null && isUnclaimed(row, services.clock.now())
  ) return;
  if (row?.state !== "copying") await internal.remove("staged", path).catch(() => {});
  throw new Problem("UPLOAD_FINISHED");
}

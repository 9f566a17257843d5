import type { Clock } from "../clock.ts";
import type { ChunkLimits } from "../http/chunks.ts";
import { CACHE_MS, UPLOAD_STALL_MS } from "../limits.ts";
import { Problem } from "../problems.ts";
import { isInUse } from "../projects/projects.ts";
import type { Engine, Id } from "../store/port.ts";
import type { Upload } from "./blobs.ts";
import type { Incoming, LocalFiles } from "./local_files.ts";
import { projectOf } from "./paths.ts";
import { type BlobStores, INTERNAL } from "./stores.ts";
import type { UploadTokens } from "./upload_tokens.ts";
import { findUpload, type UploadRecord } from "./uploads.ts";

export interface ReceiveServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly blobStores: BlobStores;
  readonly localFiles: LocalFiles | null;
  readonly uploadTokens: UploadTokens;
}

/** What came with a token, so far. */
export interface SentUpload {
  readonly token: string;
  readonly contentType: string | null;
  /** As it was announced; null where it was not. */
  readonly bytes: number | null;
  chunks(limits: ChunkLimits): AsyncIterable<Uint8Array>;
}

/**
 * Takes the bytes of an upload and stages them. Before the first of them everything is judged that
 * can be. Throws `UPLOAD_TOKEN_INVALID`, `UPLOAD_TYPE_MISMATCH`, `UPLOAD_TOO_LONG`,
 * `UPLOAD_TOO_SHORT`, `UPLOAD_FINISHED`, `RATE_LIMITED`, `REQUEST_TIMEOUT`.
 */
export async function receiveUpload(services: ReceiveServices, sent: SentUpload): Promise<Upload> {
  const { localFiles, clock, blobStores } = services;
  const upload = services.uploadTokens.read(sent.token);
  if (localFiles === null || upload === null || upload.expiresAt <= clock.now()) {
    throw new Problem("UPLOAD_TOKEN_INVALID");
  }
  if (sent.contentType !== upload.contentType) throw new Problem("UPLOAD_TYPE_MISMATCH");
  if (sent.bytes !== null) assertLength(sent.bytes, upload);
  const { path } = upload;
  const projectId = projectOf(path)!;
  if (!await isInUse(services, projectId)) throw new Problem("UPLOAD_FINISHED");
  const endsAt = holdEnds(services, await findUpload(services, projectId, path));
  if (endsAt === null) throw new Problem("UPLOAD_FINISHED");
  using over = watched(services, projectId, path);
  await using incoming = await localFiles.receive(path, over.end);
  if (incoming === null) throw new Problem("RATE_LIMITED", { retryAfter: RETRY_SECONDS });
  const { signal } = over;
  const limits = { stallMs: UPLOAD_STALL_MS, wholeMs: endsAt - clock.now(), signal };
  await take(incoming, upload, sent.chunks(limits));
  try {
    await incoming.stage();
  } finally {
    // Who ended the upload may have removed it under our hands.
    await assertStillOpen(services, projectId, path, blobStores);
  }
  return upload;
}

const RETRY_SECONDS = 5;

interface Over extends Disposable {
  /** Aborted with `UPLOAD_FINISHED`. */
  readonly signal: AbortSignal;
  end(): void;
}

/**
 * Ends an upload under way when its row does: what nobody will confirm takes no more room. This
 * process tells it of its own; of others it is seen within `CACHE_MS`.
 */
function watched(services: ReceiveServices, projectId: Id, path: string): Over {
  const control = new AbortController();
  const end = () => control.abort(new Problem("UPLOAD_FINISHED"));
  const watch = setInterval(async () => {
    // A store that is away is met when the upload is whole.
    const row = await findUpload(services, projectId, path).catch(() => undefined);
    if (row !== undefined && holdEnds(services, row) === null) end();
  }, CACHE_MS);
  return { signal: control.signal, end, [Symbol.dispose]: () => clearInterval(watch) };
}

async function take(
  incoming: Incoming,
  upload: Upload,
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

function assertLength(bytes: number, upload: Upload): void {
  if (bytes > upload.bytes) throw new Problem("UPLOAD_TOO_LONG");
  if (bytes < upload.bytes) throw new Problem("UPLOAD_TOO_SHORT");
}

/**
 * Until when bytes may arrive for a row, in milliseconds since 1970; null if they may not. A confirm
 * that is at work may have come too early, and then gives the row back.
 */
function holdEnds({ clock }: { clock: Clock }, row: UploadRecord | null): number | null {
  if (row === null || row.target !== INTERNAL || row.state === "confirmed") return null;
  const endsAt = Date.parse(row.expiresAt!);
  return endsAt > clock.now() ? endsAt : null;
}

/** Whether nobody has confirmed it, nor is about to. */
const isOpen = ({ state, claimedUntil }: UploadRecord, now: number): boolean =>
  state === "requested" || (state === "copying" && Date.parse(claimedUntil!) <= now);

/**
 * What was staged for an upload that is over would lie there for nothing, and is removed; what
 * cannot be is found by the reaper. A confirm that is at work has the staged object in its hands:
 * it publishes or removes it.
 */
async function assertStillOpen(
  services: ReceiveServices,
  projectId: Id,
  path: string,
  { internal }: BlobStores,
): Promise<void> {
  const row = await findUpload(services, projectId, path);
  if (row !== null && holdEnds(services, row) !== null && isOpen(row, services.clock.now())) return;
  if (row?.state !== "copying") await internal.remove("staged", path).catch(() => {});
  throw new Problem("UPLOAD_FINISHED");
}

import { type Clock, timestamp } from "../clock.ts";
import { randomToken } from "../crypto/random.ts";
import { RESUMABLE_HOLD_MS } from "../limits.ts";
import type { Log } from "../runtime/log.ts";
import { Problem } from "../problems.ts";
import { and, compare, eq, or } from "../store/filter.ts";
import type { Engine, Filter, Id, Records } from "../store/port.ts";
import { isExpired, UNCLAIMED, unclaimed, unexpired } from "./ledger.ts";
import { findUpload, type UploadRecord, UPLOADS } from "./uploads.ts";

export interface LeaseServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
}

/** Milliseconds until a lease ends that is not renewed, because its process was killed or froze. */
const LEASE_MS = 10_000;
/** Milliseconds between two writes of the row, which renew the lease and record the progress. */
const RENEW_MS = 2_000;
/** Milliseconds between two checks whether another connection waits for the lease. */
const CHECK_MS = 400;
/** Milliseconds until a lost connection is noticed and its bytes are kept. */
const WRITER_END_MS = 1_000;
/** Number of new bytes after which progress is recorded at once: about one part. */
const RECORD_BYTES = 5_242_880;
/** Milliseconds that a connection waits for the holder of the lease to finish. */
const WAIT_MS = 5_000;
const POLL_MS = 200;

/**
 * Excludes all other connections of an upload, in all processes. A second connection comes from a
 * client that lost the first, so it gets the lease once the first has kept its bytes.
 */
export class UploadLease implements AsyncDisposable {
  readonly #records: Records<UploadRecord>;
  readonly #services: LeaseServices;
  readonly #isOwn: Filter;
  readonly #ended = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;
  #renewal: Promise<void> | null = null;
  #renewedAt = performance.now();
  /** The row at the beginning of the lease. */
  readonly row: UploadRecord;
  #safeBytes: number;
  #recordedBytes: number;

  /** Waits `WAIT_MS` for a held lease. Throws `UPLOAD_GONE`, or `UPLOAD_LOCKED` in the end. */
  static async acquire(services: LeaseServices, projectId: Id, path: string): Promise<UploadLease> {
    const records = services.engine.records<UploadRecord>(projectId, UPLOADS);
    const { clock } = services;
    const writer = randomToken(16);
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      const isFree = or(eq("writer", null), compare("writerUntil", "lte", timestamp(clock)));
      const isOpen = and(eq("path", path), unclaimed(clock), unexpired(clock));
      // Clearing a lapsed claim ensures that its confirm cannot commit if it continues later.
      const acquired = await records.updateOne(and(isOpen, isFree), {
        set: { ...UNCLAIMED, writer, writerUntil: leaseEnd(clock), isWanted: false },
      });
      if (acquired !== null) return new UploadLease(services, records, acquired.value);
      await findOpenUpload(services, projectId, path);
      if (performance.now() > deadline) throw locked();
      await records.updateOne(and(isOpen, eq("isWanted", false)), { set: { isWanted: true } });
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  private constructor(services: LeaseServices, records: Records<UploadRecord>, row: UploadRecord) {
    this.#services = services;
    this.#records = records;
    this.#isOwn = and(eq("path", row.path), eq("writer", row.writer!));
    this.row = row;
    this.#safeBytes = this.#recordedBytes = row.arrived ?? 0;
    this.#timer = setInterval(() => this.#checkSoon(), CHECK_MS);
  }

  /** Number of bytes that are safe in the store. It is recorded with the next renewal. */
  get safeBytes(): number {
    return this.#safeBytes;
  }

  set safeBytes(bytes: number) {
    this.#safeBytes = bytes;
    if (bytes - this.#recordedBytes >= RECORD_BYTES) this.#renewSoon();
  }

  /** Aborted with a problem when the upload ends or another connection waits for the lease. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Records the progress of the upload in its row. Throws `UPLOAD_GONE`. */
  async recordProgress(change: { pieces?: string | null; arrived: number }): Promise<UploadRecord> {
    await this.#renewal; // A running renewal could overwrite the record with less progress.
    this.#safeBytes = change.arrived;
    return await this.#updateRow(change);
  }

  async #updateRow(change: { pieces?: string | null; arrived: number }): Promise<UploadRecord> {
    const { clock } = this.#services;
    const updated = await this.#records.updateOne(this.#isOwn, {
      set: {
        ...change,
        writerUntil: leaseEnd(clock),
        expiresAt: new Date(clock.now() + RESUMABLE_HOLD_MS).toISOString(),
      },
    });
    if (updated === null) throw gone();
    this.#recordedBytes = change.arrived;
    this.#renewedAt = performance.now();
    return updated.value;
  }

  #renewSoon(): void {
    this.#renewal ??= this.#keepLease(() => this.#updateRow({ arrived: this.#safeBytes }))
      .finally(() => this.#renewal = null);
  }

  #checkSoon(): void {
    if (performance.now() - this.#renewedAt >= RENEW_MS) return this.#renewSoon();
    this.#renewal ??= this.#keepLease(() => this.#findOwnRow()).finally(() => this.#renewal = null);
  }

  async #findOwnRow(): Promise<UploadRecord> {
    const found = await this.#records.findOne(this.#isOwn);
    if (found === null) throw gone();
    return found.value;
  }

  async #keepLease(readRow: () => Promise<UploadRecord>): Promise<void> {
    try {
      const { isWanted } = await readRow();
      if (isWanted) this.#ended.abort(locked());
    } catch (error) {
      // The database may become available again. But writing must stop before the lease ends.
      const left = this.#renewedAt + LEASE_MS - performance.now();
      if (error instanceof Problem || left < 2 * RENEW_MS) this.#ended.abort(error);
    }
  }

  /** Releases the lease. If that fails, the lease expires. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewal;
    try {
      await this.#records.updateOne(this.#isOwn, { set: { writer: null, writerUntil: null } });
    } catch (error) {
      const { path } = this.row;
      this.#services.log.write("warn", "The lease of an upload is left to expire", {
        path,
        error: String(error),
      });
    }
  }
}

const RETRY_SECONDS = 1;

const gone = () => new Problem("UPLOAD_GONE");
export const locked = (): Problem => new Problem("UPLOAD_LOCKED", { retryAfter: RETRY_SECONDS });

const leaseEnd = (clock: Clock): string => new Date(clock.now() + LEASE_MS).toISOString();

/** Waits up to `WRITER_END_MS` for the end of a lost connection. Throws `UPLOAD_GONE`. */
export async function findAfterWriter(
  services: LeaseServices,
  projectId: Id,
  path: string,
): Promise<UploadRecord> {
  const deadline = performance.now() + WRITER_END_MS;
  let row = await findOpenUpload(services, projectId, path);
  const { writer } = row;
  while (hasWriter(row, services.clock) && row.writer === writer && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    row = await findOpenUpload(services, projectId, path);
  }
  return row;
}

export const hasWriter = ({ writer, writerUntil }: UploadRecord, clock: Clock): boolean =>
  typeof writer === "string" && Date.parse(writerUntil!) > clock.now();

/** Returns the row of an unconfirmed upload. Throws `UPLOAD_GONE`. */
export async function findOpenUpload(
  { engine, clock }: Pick<LeaseServices, "engine" | "clock">,
  projectId: Id,
  path: string,
): Promise<UploadRecord> {
  const row = await findUpload({ engine }, projectId, path);
  if (row === null || row.state === "confirmed" || isExpired(row, timestamp(clock))) throw gone();
  return row;
}

import { type Clock, timestamp } from "../clock.ts";
import { randomToken } from "../crypto/random.ts";
import { RESUMABLE_HOLD_MS } from "../limits.ts";
import type { Log } from "../runtime/log.ts";
import { Problem } from "../problems.ts";
import { and, compare, eq, or } from "../store/filter.ts";
import type { Engine, Filter, Id, Records } from "../store/port.ts";
import { isOver, UNCLAIMED, unclaimed, unexpired } from "./ledger.ts";
import { findUpload, type UploadRecord, UPLOADS } from "./uploads.ts";

export interface TurnServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long a turn lasts that its holder does not renew: it was killed, or froze. */
const TURN_MS = 10_000;
/** Between two writes of the row, with which the turn is renewed and what has arrived is noted. */
const RENEW_MS = 2_000;
/** Milliseconds between two checks for another connection that wants the turn. */
const HOLDER_LOOK_MS = 400;
/** For a connection that is lost to be noticed, and what it brought to be kept. */
const ENDING_MS = 1_000;
/** So much more is noted at once: a process that is killed loses hardly more than a part. */
const NOTE_BYTES = 5_242_880;
/** For whoever has the turn to notice that somebody else wants it, and to keep what it has. */
const WAIT_MS = 5_000;
const LOOK_MS = 200;

/**
 * The turn of one connection to bring bytes of an upload: no other one does, in whichever process.
 * Whoever comes later is the client that has lost the connection before, so it gets the turn as soon
 * as the one that has it has kept what arrived.
 */
export class UploadTurn implements AsyncDisposable {
  readonly #records: Records<UploadRecord>;
  readonly #services: TurnServices;
  readonly #mine: Filter;
  readonly #over = new AbortController();
  readonly #renewing: ReturnType<typeof setInterval>;
  #renewal: Promise<void> | null = null;
  #storedAt = performance.now();
  /** As it was when the turn began. */
  readonly row: UploadRecord;
  #safe: number;
  #noted: number;

  /**
   * Waits for the turn as long as whoever has it may need to end. Throws `UPLOAD_GONE`, and
   * `UPLOAD_LOCKED` where it does not end.
   */
  static async take(services: TurnServices, projectId: Id, path: string): Promise<UploadTurn> {
    const records = services.engine.records<UploadRecord>(projectId, UPLOADS);
    const { clock } = services;
    const writer = randomToken(16);
    const until = performance.now() + WAIT_MS;
    for (;;) {
      const free = or(eq("writer", null), compare("writerUntil", "lte", timestamp(clock)));
      const open = and(eq("path", path), unclaimed(clock), unexpired(clock));
      // A confirm that has died, or comes back after its time, commits no more.
      const taken = await records.updateOne(and(open, free), {
        set: { ...UNCLAIMED, writer, writerUntil: turnEnd(clock), isWanted: false },
      });
      if (taken !== null) return new UploadTurn(services, records, taken.value);
      await findOpen(services, projectId, path);
      if (performance.now() > until) throw locked();
      await records.updateOne(and(open, eq("isWanted", false)), { set: { isWanted: true } });
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  private constructor(services: TurnServices, records: Records<UploadRecord>, row: UploadRecord) {
    this.#services = services;
    this.#records = records;
    this.#mine = and(eq("path", row.path), eq("writer", row.writer!));
    this.row = row;
    this.#safe = this.#noted = row.arrived ?? 0;
    this.#renewing = setInterval(() => this.#lookSoon(), HOLDER_LOOK_MS);
  }

  /** Bytes that are safe in the store: they are noted with the next renewal. */
  get safe(): number {
    return this.#safe;
  }

  set safe(bytes: number) {
    this.#safe = bytes;
    if (bytes - this.#noted >= NOTE_BYTES) this.#renewSoon();
  }

  /** Aborted with a problem when the turn is over: the upload is, or somebody else wants it. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Notes how far the upload has come. Throws `UPLOAD_GONE`. */
  async note(change: { pieces?: string | null; arrived: number }): Promise<UploadRecord> {
    await this.#renewal; // It would note less, perhaps later.
    this.#safe = change.arrived;
    return await this.#store(change);
  }

  async #store(change: { pieces?: string | null; arrived: number }): Promise<UploadRecord> {
    const { clock } = this.#services;
    const noted = await this.#records.updateOne(this.#mine, {
      set: {
        ...change,
        writerUntil: turnEnd(clock),
        expiresAt: new Date(clock.now() + RESUMABLE_HOLD_MS).toISOString(),
      },
    });
    if (noted === null) throw gone();
    this.#noted = change.arrived;
    this.#storedAt = performance.now();
    return noted.value;
  }

  #renewSoon(): void {
    this.#renewal ??= this.#keepTurn(() => this.#store({ arrived: this.#safe }))
      .finally(() => this.#renewal = null);
  }

  #lookSoon(): void {
    if (performance.now() - this.#storedAt >= RENEW_MS) return this.#renewSoon();
    this.#renewal ??= this.#keepTurn(() => this.#find()).finally(() => this.#renewal = null);
  }

  async #find(): Promise<UploadRecord> {
    const found = await this.#records.findOne(this.#mine);
    if (found === null) throw gone();
    return found.value;
  }

  async #keepTurn(ask: () => Promise<UploadRecord>): Promise<void> {
    try {
      const { isWanted } = await ask();
      if (isWanted) this.#over.abort(locked());
    } catch (error) {
      // A store that is away may come back; but nothing is written once somebody else may be at it.
      const left = this.#storedAt + TURN_MS - performance.now();
      if (error instanceof Problem || left < 2 * RENEW_MS) this.#over.abort(error);
    }
  }

  /** For somebody else to take. One that cannot be given back ends by itself. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#renewing);
    await this.#renewal;
    try {
      await this.#records.updateOne(this.#mine, { set: { writer: null, writerUntil: null } });
    } catch (error) {
      const { path } = this.row;
      this.#services.log.write("warn", "A turn is left to end", { path, error: String(error) });
    }
  }
}

const RETRY_SECONDS = 1;

const gone = () => new Problem("UPLOAD_GONE");
export const locked = (): Problem => new Problem("UPLOAD_LOCKED", { retryAfter: RETRY_SECONDS });

const turnEnd = (clock: Clock): string => new Date(clock.now() + TURN_MS).toISOString();

/**
 * Returns the row of an upload. If a connection brings bytes of it, and ends within `ENDING_MS`, the
 * row is that after its end: a client that has lost the connection goes on from all that arrived.
 * Throws `UPLOAD_GONE`.
 */
export async function findSettled(
  services: TurnServices,
  projectId: Id,
  path: string,
): Promise<UploadRecord> {
  const until = performance.now() + ENDING_MS;
  let row = await findOpen(services, projectId, path);
  const { writer } = row;
  while (isHeld(row, services.clock) && row.writer === writer && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    row = await findOpen(services, projectId, path);
  }
  return row;
}

/** Whether a connection has the turn. */
export const isHeld = ({ writer, writerUntil }: UploadRecord, clock: Clock): boolean =>
  typeof writer === "string" && Date.parse(writerUntil!) > clock.now();

/** The row of an upload that bytes may arrive for. Throws `UPLOAD_GONE`. */
export async function findOpen(
  { engine, clock }: Pick<TurnServices, "engine" | "clock">,
  projectId: Id,
  path: string,
): Promise<UploadRecord> {
  const row = await findUpload({ engine }, projectId, path);
  if (row === null || row.state === "confirmed" || isOver(row, timestamp(clock))) throw gone();
  return row;
}

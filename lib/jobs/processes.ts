import { timestamp } from "../clock.ts";
import { objectIds } from "../ids.ts";
import { and, compare, eq, not, or } from "../store/filter.ts";
import type { Id } from "../store/port.ts";
import type { JobServices } from "./jobs.ts";
import { field, nullable, recordKind, type RecordOf } from "../store/record_kind.ts";

/** A process or thread that has claimed jobs or is about to. Stored in the control space. */
export const PROCESSES = recordKind({
  name: "jobProcesses",
  fields: {
    /** Host and port that only this process serves; null if it serves none. */
    address: nullable(field.text),
    /** Time after which the process counts as dead. */
    aliveUntil: field.date,
  },
  indexes: [],
  trash: false,
});

type ProcessRecord = RecordOf<typeof PROCESSES>;

/** Validity of a heartbeat. The clocks of several machines must agree to a few seconds. */
const ALIVE_MS = 8_000;
const BEAT_MS = 2_000;

/** A heartbeat, written while this process has work. If it stops, other processes free its jobs. */
export class Heartbeat {
  readonly processId: Id;
  readonly #services: JobServices;
  readonly #isWorking: () => boolean;
  /** The address of {@linkcode PROCESSES}. */
  address: string | null = null;
  #aliveUntil = 0;
  #neededUntil = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** The last write. Writes run in order, so that a removed record is not written again. */
  #writing: Promise<void> = Promise.resolve();

  /** @param isWorking Whether the process has claimed jobs. */
  constructor(services: JobServices, isWorking: () => boolean) {
    this.#services = services;
    this.#isWorking = isWorking;
    this.processId = objectIds(services.clock)();
  }

  /** Resolves when a valid heartbeat is stored. Must precede each claim; continues for `forMs`. */
  async ensure(forMs = 0): Promise<void> {
    const until = this.#services.clock.now() + forMs;
    this.#neededUntil = Math.max(this.#neededUntil, until);
    await this.#inTurn(() => this.#beat());
  }

  /** Finds dead processes with work. `atStart` also finds the predecessor at its own address. */
  async findDead({ atStart }: { readonly atStart: boolean }): Promise<Id[]> {
    const { address } = this;
    const expired = compare("aliveUntil", "lte", timestamp(this.#services.clock));
    const dead = atStart && address !== null ? or(expired, eq("address", address)) : expired;
    const filter = and(not(eq("_id", this.processId)), dead);
    const found = await Array.fromAsync(this.#records().find({ filter }));
    return found.map(({ _id }) => _id);
  }

  /** Removes the record of a dead process. Its jobs must have been released. */
  async remove(processId: Id): Promise<void> {
    await this.#records().deleteOne(eq("_id", processId));
  }

  /** Ends the heartbeat. If jobs are still claimed, the record remains for other processes. */
  async stop(): Promise<void> {
    this.#neededUntil = 0;
    await this.#renewOrEnd();
    clearInterval(this.#timer);
  }

  async #renewOrEnd(): Promise<void> {
    const isNeeded = () => this.#isWorking() || this.#services.clock.now() < this.#neededUntil;
    try {
      await this.#inTurn(() => isNeeded() ? this.#beat() : this.#end());
    } catch (error) {
      const message = "The heartbeat of this process could not be stored";
      this.#services.log.write("warn", message, { error: String(error) });
    }
  }

  async #beat(): Promise<void> {
    this.#timer ??= setInterval(() => this.#renewOrEnd(), BEAT_MS);
    const now = this.#services.clock.now();
    if (this.#aliveUntil - now > ALIVE_MS - BEAT_MS) return;
    const { processId: _id, address } = this;
    const aliveUntil = new Date(now + ALIVE_MS).toISOString();
    await this.#records().upsert(eq("_id", _id), { set: { aliveUntil } }, {
      _id,
      address,
      aliveUntil,
    });
    this.#aliveUntil = now + ALIVE_MS;
  }

  async #end(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#aliveUntil === 0) return;
    this.#aliveUntil = 0;
    await this.remove(this.processId);
  }

  #inTurn(write: () => Promise<void>): Promise<void> {
    const written = this.#writing.then(write);
    this.#writing = written.catch(() => {});
    return written;
  }

  #records() {
    return this.#services.engine.records<ProcessRecord>("control", PROCESSES);
  }
}

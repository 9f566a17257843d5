import { timestamp } from "../clock.ts";
import { objectIds } from "../ids.ts";
import { and, compare, eq, not, or } from "../store/filter.ts";
import type { Id } from "../store/port.ts";
import type { JobServices } from "./jobs.ts";
import { field, nullable, recordKind, type RecordOf } from "../store/record_kind.ts";

/**
 * A process, or a thread of one, that has claimed jobs or is about to. In the control space.
 */
export const PROCESSES = recordKind({
  name: "jobProcesses",
  fields: {
    /** Host and port that the process serves on: no two processes have the same. Null if it serves none. */
    address: nullable(field.text),
    /** The process is dead if this time has passed. */
    aliveUntil: field.date,
  },
  indexes: [],
  trash: false,
});

type ProcessRecord = RecordOf<typeof PROCESSES>;

/** How long a heartbeat lasts. Processes on several machines need clocks that agree to a few seconds. */
const ALIVE_MS = 8_000;
const BEAT_MS = 2_000;

/**
 * Shows other processes that this one is alive while it has work. An idle process writes nothing.
 * What a process has claimed is released by others when its heartbeat has stopped.
 */
export class Heartbeat {
  readonly processId: Id;
  readonly #services: JobServices;
  readonly #isWorking: () => boolean;
  /** See {@linkcode ProcessRecord}. */
  address: string | null = null;
  #aliveUntil = 0;
  #neededUntil = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Writes follow one another, so that the record of an idle process stays removed. */
  #writing: Promise<void> = Promise.resolve();

  /** @param isWorking Whether the process has claimed jobs. */
  constructor(services: JobServices, isWorking: () => boolean) {
    this.#services = services;
    this.#isWorking = isWorking;
    this.processId = objectIds(services.clock)();
  }

  /**
   * Resolves when the heartbeat is stored and lasts for some seconds. Must precede each claim.
   * @param forMs How long it continues even if no job is claimed.
   */
  async ensure(forMs = 0): Promise<void> {
    const until = this.#services.clock.now() + forMs;
    this.#neededUntil = Math.max(this.#neededUntil, until);
    await this.#inTurn(() => this.#beat());
  }

  /**
   * Finds processes that died while they worked. At its start a process finds its predecessor as
   * well, which has the same address, before the heartbeat of that one has run out.
   */
  async findDead({ atStart }: { readonly atStart: boolean }): Promise<Id[]> {
    const { address } = this;
    const expired = compare("aliveUntil", "lte", timestamp(this.#services.clock));
    const dead = atStart && address !== null ? or(expired, eq("address", address)) : expired;
    const filter = and(not(eq("_id", this.processId)), dead);
    const found = await Array.fromAsync(this.#records().find({ filter }));
    return found.map(({ _id }) => _id);
  }

  /** Removes the record of a dead process, whose jobs have been released. */
  async remove(processId: Id): Promise<void> {
    await this.#records().deleteOne(eq("_id", processId));
  }

  /** Ends the heartbeat. If jobs are still claimed, the record stays until another process finds it. */
  async stop(): Promise<void> {
    this.#neededUntil = 0;
    await this.#continue();
    clearInterval(this.#timer);
  }

  async #continue(): Promise<void> {
    const isNeeded = () => this.#isWorking() || this.#services.clock.now() < this.#neededUntil;
    try {
      await this.#inTurn(() => isNeeded() ? this.#beat() : this.#end());
    } catch (error) {
      const message = "The heartbeat of this process could not be stored";
      this.#services.log.write("warn", message, { error: String(error) });
    }
  }

  async #beat(): Promise<void> {
    this.#timer ??= setInterval(() => this.#continue(), BEAT_MS);
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

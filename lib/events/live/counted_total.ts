import type { LimitFunction } from "p-limit";
import type { ChangePosition, Engine } from "../../store/port.ts";
import { type ListStep, ListTotal } from "./list_total.ts";
import type { LivePlan } from "./plan.ts";

/** Between counts of a total that is not known, the longer the oftener it failed. */
const COUNT_MS_MIN = 1_000;
const COUNT_MS_MAX = 8_000;
/** After a count that failed. */
const FAILED_MS = 60_000;
/** After so long without a change a total is counted once more, where it may be off. */
const QUIET_MS = 2_000;

/** What a total is read with. */
interface Totalled {
  readonly total: number | null;
  readonly totalIsEstimate: boolean;
}

/** How many a list has, counted in the store when it is not known, or not sure. */
export class CountedTotal<T extends ListStep> {
  readonly #engine: Engine;
  readonly #plan: LivePlan;
  readonly #again: (told: T) => void;
  readonly #total = new ListTotal();
  /** Whether anybody has asked for it. */
  #isCounted = false;
  /** Whether it was counted where nothing can have been missed. */
  #isSure = false;
  /** The last change, where the total was not sure then. */
  #last: T | null = null;
  #readings = 0;
  #countAt = 0;
  #countMs = 0;
  /** How many changes were told, how many when it was last looked, and since when they are so many. */
  #told = 0;
  #seen = 0;
  #quietSince = 0;

  /** @param again Tells the last change once more, now that the total is known. */
  constructor(engine: Engine, plan: LivePlan, again: (told: T) => void) {
    this.#engine = engine;
    this.#plan = plan;
    this.#again = again;
  }

  /** Null where it is not known at the moment. */
  get value(): number | null {
    return this.#total.value;
  }

  /** Each change of the list, before it is told. */
  follow(told: T): void {
    this.#told++;
    if (!this.#isCounted) return;
    this.#total.follow(told);
    this.#last = this.#isSure && this.value !== null ? null : told;
  }

  /**
   * Reads something with a total, perhaps. Resolves to a position as well: of what was committed
   * before it, all is in what was read.
   */
  async read<Found extends Totalled>(
    read: () => Promise<Found>,
  ): Promise<{ readonly position: ChangePosition; readonly found: Found }> {
    this.#isCounted ||= this.#plan.list.request.total !== "none";
    const count = this.#total.begin();
    this.#readings++;
    try {
      const from = await this.#head();
      const found = await read();
      const { total, totalIsEstimate } = found;
      if (total !== null) {
        // Of what may be off anyway no change makes more doubt.
        const to = totalIsEstimate ? from : await this.#head();
        if (this.#total.take(count, { from, to, total })) {
          this.#isSure = totalIsEstimate || this.#engine.changes.isHeadExact;
          this.#countMs = this.#countAt = 0;
          this.#tellAgain();
        }
      }
      return { position: from, found };
    } finally {
      this.#readings--;
    }
  }

  async count(): Promise<void> {
    await this.read(async () => ({ total: await this.#counted(), totalIsEstimate: false }));
  }

  #head(): Promise<ChangePosition> {
    return this.#engine.changes.head(this.#plan.caller.projectId);
  }

  #counted(): Promise<number> {
    const { source, filter } = this.#plan.list;
    return source.records.count(filter);
  }

  /** Counts anew where the total is not known, or not sure, now and then. */
  async look(now: number, turn: LimitFunction): Promise<void> {
    if (this.#seen !== this.#told) {
      this.#seen = this.#told;
      this.#quietSince = now;
    }
    if (!this.#isCounted || this.#readings > 0 || now < this.#countAt) return;
    const isKnown = this.value !== null;
    if (isKnown && (this.#isSure || now - this.#quietSince < QUIET_MS)) return;
    if (!isKnown) {
      this.#countMs = Math.min(Math.max(2 * this.#countMs, COUNT_MS_MIN), COUNT_MS_MAX);
      this.#countAt = now + this.#countMs;
    }
    try {
      await turn(() => isKnown ? this.#makeSure() : this.count());
    } catch {
      this.#countAt = now + FAILED_MS;
    }
  }

  async #makeSure(): Promise<void> {
    const before = this.#told;
    this.#readings++;
    try {
      const from = await this.#head();
      const total = await this.#counted();
      const to = await this.#head();
      if (this.#told !== before) return;
      this.#isSure = true;
      if (this.#total.correct({ from, to, total })) this.#tellAgain();
      this.#last = null;
    } finally {
      this.#readings--;
    }
  }

  #tellAgain(): void {
    const told = this.#last;
    if (this.#isSure) this.#last = null;
    if (told !== null) this.#again(told);
  }
}

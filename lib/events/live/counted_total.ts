import type { LimitFunction } from "p-limit";
import type { ChangePosition, Engine } from "../../store/port.ts";
import { type ListStep, ListTotal } from "./list_total.ts";
import type { LivePlan } from "./plan.ts";

/** Delay between counts of an unknown total. It is doubled up to the maximum. */
const COUNT_DELAY_MS_MIN = 1_000;
const COUNT_DELAY_MS_MAX = 8_000;
/** Delay after a count that failed. */
const FAILED_COUNT_DELAY_MS = 60_000;
/** After this time without changes, an unverified total is counted again. */
const QUIET_MS = 2_000;

interface WithTotal {
  readonly total: number | null;
  readonly totalIsEstimate: boolean;
}

/** The total of a live list, counted in the store while it is unknown or unverified. */
export class CountedTotal<T extends ListStep> {
  readonly #engine: Engine;
  readonly #plan: LivePlan;
  readonly #repeat: (step: T) => void;
  readonly #total = new ListTotal();
  /** Whether a list was requested with its total. */
  #isNeeded = false;
  /** Whether the last count cannot have missed a change. */
  #isVerified = false;
  /** The last change, if the total was unverified when it was received. */
  #lastUnverified: T | null = null;
  #readsInFlight = 0;
  #nextCountAt = 0;
  #countDelayMs = 0;
  #changes = 0;
  /** Number of changes at the last check. */
  #checkedChanges = 0;
  #quietSince = 0;

  /** @param repeat Sends the last change again, once the total is known. */
  constructor(engine: Engine, plan: LivePlan, repeat: (step: T) => void) {
    this.#engine = engine;
    this.#plan = plan;
    this.#repeat = repeat;
  }

  /** The total; null while it is unknown. */
  get value(): number | null {
    return this.#total.value;
  }

  /** Applies a change of the list. Called before subscribers receive the change. */
  follow(step: T): void {
    this.#changes++;
    if (!this.#isNeeded) return;
    this.#total.follow(step);
    this.#lastUnverified = this.#isVerified && this.value !== null ? null : step;
  }

  /** Reads a list and its total. All changes up to the returned position are in the list. */
  async read<Found extends WithTotal>(
    read: () => Promise<Found>,
  ): Promise<{ readonly position: ChangePosition; readonly found: Found }> {
    this.#isNeeded ||= this.#plan.list.request.total !== "none";
    const count = this.#total.beginCount();
    this.#readsInFlight++;
    try {
      const from = await this.#head();
      const found = await read();
      const { total, totalIsEstimate } = found;
      if (total !== null) {
        // Changes during the count do not matter to an estimate.
        const to = totalIsEstimate ? from : await this.#head();
        if (this.#total.acceptCount(count, { from, to, total })) {
          this.#isVerified = totalIsEstimate || this.#engine.changes.isHeadExact;
          this.#countDelayMs = this.#nextCountAt = 0;
          this.#repeatLast();
        }
      }
      return { position: from, found };
    } finally {
      this.#readsInFlight--;
    }
  }

  async count(): Promise<void> {
    await this.read(async () => ({ total: await this.#countInStore(), totalIsEstimate: false }));
  }

  #head(): Promise<ChangePosition> {
    return this.#engine.changes.head(this.#plan.caller.projectId);
  }

  #countInStore(): Promise<number> {
    const { source, filter } = this.#plan.list;
    return source.records.count(filter);
  }

  /** Counts again if the total is unknown or unverified and the next count is due. */
  async check(now: number, turn: LimitFunction): Promise<void> {
    if (this.#checkedChanges !== this.#changes) {
      this.#checkedChanges = this.#changes;
      this.#quietSince = now;
    }
    if (!this.#isNeeded || this.#readsInFlight > 0 || now < this.#nextCountAt) return;
    const isKnown = this.value !== null;
    if (isKnown && (this.#isVerified || now - this.#quietSince < QUIET_MS)) return;
    if (!isKnown) {
      this.#countDelayMs = Math.min(
        Math.max(2 * this.#countDelayMs, COUNT_DELAY_MS_MIN),
        COUNT_DELAY_MS_MAX,
      );
      this.#nextCountAt = now + this.#countDelayMs;
    }
    try {
      await turn(() => isKnown ? this.#verify() : this.count());
    } catch {
      this.#nextCountAt = now + FAILED_COUNT_DELAY_MS;
    }
  }

  async #verify(): Promise<void> {
    const before = this.#changes;
    this.#readsInFlight++;
    try {
      const from = await this.#head();
      const total = await this.#countInStore();
      const to = await this.#head();
      if (this.#changes !== before) return;
      this.#isVerified = true;
      if (this.#total.correctCount({ from, to, total })) this.#repeatLast();
      this.#lastUnverified = null;
    } finally {
      this.#readsInFlight--;
    }
  }

  #repeatLast(): void {
    const step = this.#lastUnverified;
    if (this.#isVerified) this.#lastUnverified = null;
    if (step !== null) this.#repeat(step);
  }
}

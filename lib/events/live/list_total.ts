import type { ChangePosition } from "../../store/port.ts";

/** The number of documents in a list at a moment between two positions. */
export interface CountReading {
  readonly from: ChangePosition;
  readonly to: ChangePosition;
  readonly total: number;
}

export interface ListStep {
  readonly position: ChangePosition;
  /** Number of documents that the change added. */
  readonly added: -1 | 0 | 1;
}

/** A count that changes update. One committed during a count makes it unknown until the next. */
export class ListTotal {
  #value: number | null = null;
  #from: ChangePosition = "";
  #to: ChangePosition = "";
  /** Changes that a count which is in progress may not include. */
  #uncounted: ListStep[] = [];
  #countsBegun = 0;
  /** Number of the count that was accepted last. */
  #lastAccepted = 0;

  /** The total; null while it is unknown. */
  get value(): number | null {
    return this.#value;
  }

  /** Applies a change. Must be called for all changes in order, from before the first count. */
  follow(step: ListStep): void {
    const { position, added } = step;
    if (added === 0) return;
    if (this.#value !== null && position <= this.#from) return;
    if (this.#value !== null && position > this.#to) {
      this.#value += added;
    } else {
      this.#value = null;
      this.#uncounted.push(step);
    }
  }

  /** Registers a count that begins and returns its number for {@linkcode acceptCount}. */
  beginCount(): number {
    return ++this.#countsBegun;
  }

  /** Returns whether the count was accepted: not if the total is known or the count unreliable. */
  acceptCount(count: number, { from, to, total }: CountReading): boolean {
    if (this.#value !== null || count < this.#lastAccepted) return false;
    this.#lastAccepted = count;
    this.#from = from;
    this.#to = to;
    this.#uncounted = this.#uncounted.filter(({ position }) => position > from);
    if (this.#uncounted.some(({ position }) => position <= to)) return false;
    this.#value = this.#uncounted.reduce((sum, { added }) => sum + added, total);
    this.#uncounted = [];
    return true;
  }

  /** Returns whether the total differed from a count during which no change was received. */
  correctCount({ from, to, total }: CountReading): boolean {
    if (this.#value === null) return false;
    const isDifferent = this.#value !== total;
    [this.#from, this.#to, this.#value] = [from, to, total];
    return isDifferent;
  }
}

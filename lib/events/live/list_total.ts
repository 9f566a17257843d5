import type { ChangePosition } from "../../store/port.ts";

/** How many a list had at some moment between two positions. */
export interface Counted {
  readonly from: ChangePosition;
  readonly to: ChangePosition;
  readonly total: number;
}

/** A change of a list. */
export interface ListStep {
  readonly position: ChangePosition;
  /** By how many the list has become longer. */
  readonly added: -1 | 0 | 1;
}

/**
 * How many a list has: as it was counted, and by each change since. A change that was committed
 * while it was counted may be in the number or not: where there is one the total is not known, until
 * it is counted anew.
 */
export class ListTotal {
  #value: number | null = null;
  #from: ChangePosition = "";
  #to: ChangePosition = "";
  /** What a count may lack that began since the last one did. */
  #since: ListStep[] = [];
  /** Counts that began, and which of them was taken last. */
  #begun = 0;
  #taken = 0;

  /** Null where it is not known. */
  get value(): number | null {
    return this.#value;
  }

  /** The changes of the list, each in its turn, since before it was counted first. */
  follow(step: ListStep): void {
    const { position, added } = step;
    if (added === 0) return;
    if (this.#value !== null && position <= this.#from) return;
    if (this.#value !== null && position > this.#to) {
      this.#value += added;
    } else {
      this.#value = null;
      this.#since.push(step);
    }
  }

  /** A count begins; resolves to what it is taken by. */
  begin(): number {
    return ++this.#begun;
  }

  /**
   * Where the total is not known: whether it is now. One that began before another that was taken
   * is not.
   */
  take(count: number, { from, to, total }: Counted): boolean {
    if (this.#value !== null || count < this.#taken) return false;
    this.#taken = count;
    this.#from = from;
    this.#to = to;
    this.#since = this.#since.filter(({ position }) => position > from);
    if (this.#since.some(({ position }) => position <= to)) return false;
    this.#value = this.#since.reduce((sum, { added }) => sum + added, total);
    this.#since = [];
    return true;
  }

  /**
   * Counted anew while nothing was told, though something may have been committed that is told
   * later: whether it was another one. A total that is not known stays so.
   */
  correct({ from, to, total }: Counted): boolean {
    if (this.#value === null) return false;
    const wasOther = this.#value !== total;
    [this.#from, this.#to, this.#value] = [from, to, total];
    return wasOther;
  }
}

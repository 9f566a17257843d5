import { UniqueViolation } from "../errors.ts";

/** The two ways in which an upsert may end: each is one statement, and one of them takes effect. */
interface Upsert<T> {
  /** Null where no record matches. */
  readonly change: () => Promise<T | null>;
  readonly insert: () => Promise<T>;
  /** Whether it is part of a transaction. */
  readonly isWithin: boolean;
}

/** How often another record may be in the way of the insert, and not match, until that is final. */
const ATTEMPTS_MAX = 3;

/**
 * The server's own upsert makes the record of its filter and its change, in an order of fields that
 * is not the port's.
 */
export async function upsert<T>({ change, insert, isWithin }: Upsert<T>): Promise<T> {
  for (let attempt = 1;; attempt++) {
    const changed = await change();
    if (changed !== null) return changed;
    try {
      return await insert();
    } catch (error) {
      // Another may have inserted it in between. A failed transaction can only be undone.
      const isFinal = isWithin || attempt === ATTEMPTS_MAX;
      if (isFinal || !(error instanceof UniqueViolation)) throw error;
    }
  }
}

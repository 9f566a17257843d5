import { UniqueViolation } from "../errors.ts";

/** The two steps of an upsert. Each is one statement, and only one of them takes effect. */
interface Upsert<T> {
  /** Updates the matching record; null if no record matches. */
  readonly change: () => Promise<T | null>;
  readonly insert: () => Promise<T>;
  /** Whether the upsert is part of a transaction. */
  readonly isInTransaction: boolean;
}

/** Number of attempts before a unique violation by a record that does not match counts as final. */
const ATTEMPTS_MAX = 3;

/**
 * Updates or inserts a record. The server's own upsert is not used, because it builds the record
 * from the filter and the change, in another order of fields than the port requires.
 */
export async function upsert<T>(
  { change, insert, isInTransaction }: Upsert<T>,
): Promise<T> {
  for (let attempt = 1;; attempt++) {
    const changed = await change();
    if (changed !== null) return changed;
    try {
      return await insert();
    } catch (error) {
      // Another process may have inserted it in between. A failed transaction can only be rolled
      // back.
      const isFinal = isInTransaction || attempt === ATTEMPTS_MAX;
      if (isFinal || !(error instanceof UniqueViolation)) throw error;
    }
  }
}

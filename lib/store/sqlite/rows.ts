import { PageTooLarge, QueryTooSlow } from "../errors.ts";
import type { Filter } from "../port.ts";
import type { Access } from "./access.ts";
import { BudgetExceeded } from "./budget.ts";
import type { Connection, Row } from "./connection.ts";
import type { Fragment } from "./fragment.ts";
import { readRowScan, type RowScan, type ScannedRows } from "./scan.ts";
import { isWide, servingLimits } from "./slow.ts";
import type { Statements } from "./statements.ts";

export interface RowsRead {
  readonly access: Access;
  readonly statements: Statements;
  readonly statement: Fragment;
  readonly filter: Filter;
  /** How many bytes the texts in the rows may have; null where they cannot have many. */
  readonly bytesMax: number | null;
  /** The field whose index would help; null if none would. */
  readonly advice: string | null;
}

/**
 * Rows of a statement that holds a guard: tried on the event loop, and handed over to another thread
 * where they take long. None where there are no records. Throws `QueryTooSlow` and `PageTooLarge`.
 */
export async function readRows(read: RowsRead): Promise<readonly Row[]> {
  const { access, statements: { slowQueries }, statement, bytesMax } = read;
  const scan: RowScan = { rows: statement, bytesMax };
  const { slow } = access;
  const query = { of: statement, text: statement.sql };
  let found = await access.read(
    (db) => slow === null ? readRowScan(db, scan, {}) : attempt(db, scan, { slow, query, read }),
    () => NONE,
  );
  if (found === null) {
    const scanned = await slow!.scan(scan);
    if (typeof scanned === "string") {
      if (scanned === "late") slowQueries.learn(query, "slow");
      throw new QueryTooSlow(read.advice);
    }
    slowQueries.learn(query, scanned.seen > slow!.rowsMax ? "slow" : "quick");
    found = scanned;
  }
  if (found.rows === null) throw new PageTooLarge(bytesMax!);
  return found.rows;
}

const NONE: ScannedRows = { rows: [], seen: 0 };

interface Attempt {
  readonly slow: NonNullable<Access["slow"]>;
  readonly query: { readonly of: Fragment; readonly text: string };
  readonly read: RowsRead;
}

/** Null where it is known to take long, or did. */
function attempt(
  db: Connection,
  scan: RowScan,
  { slow: { rowsMax }, query, read: { statements, filter } }: Attempt,
): ScannedRows | null {
  if (rowsMax === 0 || statements.slowQueries.isSlow(query)) return null;
  if (isWide(db, statements.words, filter)) return null;
  try {
    return readRowScan(db, scan, servingLimits(rowsMax));
  } catch (error) {
    if (error instanceof BudgetExceeded) return null;
    throw error;
  }
}

import type { Connection } from "./connection.ts";
import { sql } from "./fragment.ts";

/** Rows of a table whose `seq` is within these two, which are among them. */
export interface SeqStep {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
}

/** Runs a write transaction of its own. */
export type Write = <T>(work: (db: Connection) => T) => Promise<T>;

/** How long a step is meant to take: others write between two. */
const STEP_MS = 8;
const ROWS_FIRST = 64;
const ROWS_MAX = 4_096;

/**
 * Does something for all rows of a table up to `last`, a few at a time, each few in a write
 * transaction of their own. As many as take {@linkcode STEP_MS} where the rows are like those
 * before; one at least.
 */
export async function inSeqSteps(
  write: Write,
  { table, last }: { readonly table: string; readonly last: number },
  work: (db: Connection, step: SeqStep) => void,
): Promise<void> {
  let [from, limit] = [0, ROWS_FIRST];
  while (from <= last) {
    const next = await write((db) => {
      const began = performance.now();
      const step = nextStep(db, { table, last }, { from, limit });
      if (step === null) return null;
      work(db, step);
      return { from: step.to + 1, tookMs: performance.now() - began };
    });
    if (next === null) return;
    from = next.from;
    const fitting = limit * STEP_MS / Math.max(next.tookMs, 0.1);
    limit = Math.max(1, Math.min(Math.floor(fitting), 2 * limit, ROWS_MAX));
  }
}

function nextStep(
  db: Connection,
  { table, last }: { table: string; last: number },
  { from, limit }: { from: number; limit: number },
): SeqStep | null {
  const [to, rows] = db.get(sql(
    `select max(seq), count(*) from ` +
      `(select seq from ${table} where seq between ? and ? order by seq limit ?)`,
    ...[from, last, limit],
  )) as readonly [number | null, number];
  return to === null ? null : { from, to, rows };
}

import { PageTooLarge } from "../errors.ts";
import { bytesOf } from "../json_text.ts";
import { type ListQuery, PAGE_BYTES_MAX } from "../port.ts";
import type { Connection, Row } from "./connection.ts";
import { sql } from "./fragment.ts";

type PageLimits = Pick<ListQuery, "limit" | "bytesMax" | "mustBeComplete">;

/**
 * Returns the `seq` and text of a page's rows, in order, until the texts exceed the page's byte
 * limit; at least two rows, because the first is always returned. Texts of which only the size was
 * read are read one by one, in the transaction that found the rows. Throws `PageTooLarge` before it
 * reads any of them.
 */
export function completeRows(
  db: Connection,
  rows: readonly Row[],
  { table, query }: { table: string; query: PageLimits },
): readonly Row[] {
  if (rows.every(([, text]) => typeof text === "string")) return rows;
  const needed = rows.slice(0, neededCount(rows, query));
  return needed.map((row): Row => {
    const [seq, text] = row;
    return typeof text === "string" ? row : [seq!, textAt(db, table, seq as number)];
  });
}

/** Returns the number of rows that determine where the page ends. */
function neededCount(
  rows: readonly Row[],
  { limit, bytesMax = PAGE_BYTES_MAX, mustBeComplete = false }: PageLimits,
): number {
  let bytes = -1; // The first text has no comma before it.
  for (const [i, [, text]] of rows.entries()) {
    bytes += 1 + (typeof text === "string" ? bytesOf(text) : Number(text));
    if (bytes <= bytesMax || i === 0) continue;
    if (mustBeComplete && i < limit) throw new PageTooLarge(bytesMax);
    return i + 1;
  }
  return rows.length;
}

/** Returns the texts of rows, in order, until they exceed `bytesMax`; at least two. */
export function textsOf(
  db: Connection,
  seqs: readonly number[],
  { table, bytesMax }: { table: string; bytesMax: number },
): string[] {
  const texts: string[] = [];
  let bytes = -1;
  for (const seq of seqs) {
    if (bytes > bytesMax && texts.length > 1) break;
    const text = textAt(db, table, seq);
    bytes += 1 + bytesOf(text);
    texts.push(text);
  }
  return texts;
}

const textAt = (db: Connection, table: string, seq: number): string =>
  db.get(sql(`select doc from ${table} where seq = ?`, seq))![0] as string;

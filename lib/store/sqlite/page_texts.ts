import { PageTooLarge } from "../errors.ts";
import { bytesOf } from "../json_text.ts";
import { type ListQuery, PAGE_BYTES_MAX } from "../port.ts";
import type { Connection, Row } from "./connection.ts";
import { sql } from "./fragment.ts";

type Bounds = Pick<ListQuery, "limit" | "bytesMax" | "onlyWhole">;

/**
 * The `seq` and text of a page's rows, in order, until the texts are more than the page may hold:
 * two at least, because the first is given in any case. Those of which only the bytes are known, so
 * large are they, are read one by one, in the transaction that has found the rows: none is gone
 * meanwhile. Throws `PageTooLarge` before it reads one of them.
 */
export function wholeRows(
  db: Connection,
  rows: readonly Row[],
  { table, query }: { table: string; query: Bounds },
): readonly Row[] {
  if (rows.every(([, text]) => typeof text === "string")) return rows;
  const needed = rows.slice(0, neededCount(rows, query));
  return needed.map((row): Row => {
    const [seq, text] = row;
    return typeof text === "string" ? row : [seq!, textAt(db, table, seq as number)];
  });
}

/** How many of the rows tell where the page ends. */
function neededCount(
  rows: readonly Row[],
  { limit, bytesMax = PAGE_BYTES_MAX, onlyWhole = false }: Bounds,
): number {
  let bytes = -1; // The first has no comma in front of it.
  for (const [i, [, text]] of rows.entries()) {
    bytes += 1 + (typeof text === "string" ? bytesOf(text) : Number(text));
    if (bytes <= bytesMax || i === 0) continue;
    if (onlyWhole && i < limit) throw new PageTooLarge(bytesMax);
    return i + 1;
  }
  return rows.length;
}

/** The texts of these rows, in order, until they are more than these bytes: two at least. */
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

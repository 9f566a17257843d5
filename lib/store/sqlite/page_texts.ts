import { bytesOf } from "../json_text.ts";
import type { Connection, Row } from "./connection.ts";
import { sql } from "./fragment.ts";

/** Where the texts of a page's rows lie, and how many bytes of them are wanted at most. */
export interface TextSource {
  readonly table: string;
  readonly bytesMax: number;
}

/**
 * The `seq` and text of a page's rows, in order, until the texts are more than the page may hold:
 * two at least, because the first is given in any case. Those that are missing, because of their size, are read one by one.
 */
export function wholeRows(
  db: Connection,
  rows: readonly Row[],
  { table, bytesMax }: TextSource,
): readonly Row[] {
  if (rows.every(([, text]) => text !== null)) return rows;
  const whole: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (bytes > bytesMax && whole.length > 1) break;
    const [seq, known] = row;
    const text = known !== null ? known as string : textAt(db, table, seq as number);
    if (text === null) continue; // Deleted by another process just now: the page is read anew.
    bytes += bytesOf(text);
    whole.push([seq!, text]);
  }
  return whole;
}

const textAt = (db: Connection, table: string, seq: number): string | null =>
  (db.get(sql(`select doc from ${table} where seq = ?`, seq))?.[0] ?? null) as string | null;

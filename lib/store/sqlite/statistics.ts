import type { Connection } from "./connection.ts";
import { quoted, sql } from "./fragment.ts";

/** Returns a statement for each table of which SQLite knows too little, or which has grown tenfold. */
const DUE = sql("pragma optimize(0x10003)");

/** Tables of records and of their arrays. */
const TABLE = /^ANALYZE "main"\."([ra]_.*)"$/;

/**
 * More than any index has entries. With a lower limit SQLite takes the trash for as large as all else,
 * and walks an index of all records where it should read the table. Without one it keeps samples of
 * values, and prepares a statement again each time that other values are bound.
 */
const ALL_ENTRIES = sql("pragma analysis_limit = 2000000000");

/**
 * Has SQLite count how records are spread over their indexes, where it does not know. Writers may take
 * turns between two indexes.
 */
export function optimize(db: Connection): void {
  const tables = db.all(DUE).flatMap(([statement]) => TABLE.exec(String(statement))?.[1] ?? []);
  if (tables.length === 0) return;
  db.run(ALL_ENTRIES);
  for (const table of tables) {
    // Its rows are an index themselves, of which SQLite would add another count each time that it is
    // told to count that index alone.
    if (table.startsWith("a_")) {
      db.run(sql(`analyze "${table}"`));
      continue;
    }
    const indexes = sql("select name from pragma_index_list(?)", table.replaceAll('""', '"'));
    for (const [index] of db.all(indexes)) db.run(sql(`analyze ${quoted(index as string)}`));
  }
  // Connections read what they plan by with the schema: each reads it again, as it has changed.
  db.run(sql("create table optimized(n)"));
  db.run(sql("drop table optimized"));
}

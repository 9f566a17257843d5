import type { Connection } from "./connection.ts";
import { quoted, sql } from "./fragment.ts";

/** Yields a statement for each table whose statistics are missing or which has grown tenfold. */
const DUE = sql("pragma optimize(0x10003)");

const TABLE = /^ANALYZE "main"\."([ra]_.*)"$/;

/**
 * Limit of analyzed index entries, above the size of any index. With a lower limit SQLite assumes
 * that half of the records are deleted, and scans an index of all records where it should read the
 * table. Without a limit it stores samples of values, and prepares statements again when other
 * values are bound.
 */
const ALL_ENTRIES = sql("pragma analysis_limit = 2000000000");

/** Updates missing or outdated statistics of SQLite's query planner. */
export function optimize(db: Connection): void {
  const tables = db.all(DUE).flatMap(([statement]) => TABLE.exec(String(statement))?.[1] ?? []);
  if (tables.length === 0) return;
  db.run(ALL_ENTRIES);
  for (const table of tables) {
    // The table is itself an index, and analyzing only its other index would add a duplicate count.
    if (table.startsWith("a_")) {
      db.run(sql(`analyze "${table}"`));
      continue;
    }
    const indexes = sql("select name from pragma_index_list(?)", table.replaceAll('""', '"'));
    for (const [index] of db.all(indexes)) db.run(sql(`analyze ${quoted(index as string)}`));
  }
  // Connections read the statistics together with the schema, so a change of the schema makes them
  // read both again.
  db.run(sql("create table optimized(n)"));
  db.run(sql("drop table optimized"));
}

import type { Definition } from "../port.ts";
import type { Connection } from "./connection.ts";
import { sql } from "./fragment.ts";
import { arrayTablesOf } from "./array_tables.ts";
import { bareTableName, tableName } from "./table_name.ts";

/** Entries of an index that are looked at: 5 ms at most, whatever the size of a table. */
const ANALYSIS_LIMIT = 2_000;
/** Fewer rows are read in no time, in whatever way. */
const ROWS_MIN = 200;
/** Of how many commits to a table one has its rows counted. */
const COMMITS = 64;

/**
 * Tells SQLite how documents are spread over the indexes of their definition; run inside a write
 * transaction. SQLite looks at the beginning of each index, and would take most documents for
 * deleted or most for others: nearly all are on one side of the trash, so that side has all of them.
 */
export function analyze(db: Connection, definition: Definition): void {
  for (const table of analyzedTables(definition)) analyzeTable(db, definition, table);
}

/** The tables that have something of a definition's records. */
export const analyzedTables = (definition: Definition): string[] => [
  tableName(definition),
  ...arrayTablesOf(definition).map(({ name }) => name),
];

export function analyzeTable(db: Connection, definition: Definition, table: string): void {
  db.run(sql(`pragma analysis_limit = ${ANALYSIS_LIMIT}`));
  db.run(sql(`analyze ${table}`));
  correct(db, definition, table.slice(1, -1));
}

function correct(db: Connection, definition: Definition, table: string): void {
  const found = db.all(sql("select idx, stat from sqlite_stat1 where tbl = ?", table));
  for (const [index, stat] of found) {
    if (!isListing(definition, index)) continue;
    const [rows, , ...rest] = (stat as string).split(" ");
    const corrected = [rows, rows, ...rest].join(" ");
    db.run(sql("update sqlite_stat1 set stat = ? where idx = ?", corrected, index!));
  }
}

const isListing = ({ name }: Definition, index: unknown): boolean =>
  typeof index === "string" && index.startsWith(`i_${name} list`);

/** A connection plans by what it has read; of what another one has written it does not hear. */
export const rereadStatistics = (db: Connection): void => db.run(sql("analyze sqlite_schema"));

/** Notices tables that have grown so much that what is known of them says nothing any more. */
export class Growth {
  readonly #db: Connection;
  readonly #commits = new Map<string, number>();

  /** @param db Sees what was committed. */
  constructor(db: Connection) {
    this.#db = db;
  }

  /** To be told of each commit. Whether the table has twice as many rows as when they were counted. */
  isDue(definition: Definition): boolean {
    if (!definition.trash) return false;
    const { name } = definition;
    const commits = (this.#commits.get(name) ?? 0) + 1;
    this.#commits.set(name, commits);
    if (commits % COMMITS !== 1) return false;
    const rows = this.#number("select live + deleted from counts where name = ?", name);
    return rows >= ROWS_MIN && rows >= 2 * this.#number(KNOWN, bareTableName(definition));
  }

  #number(text: string, value: string): number {
    try {
      return Number(this.#db.get(sql(text, value))?.[0] ?? 0);
    } catch {
      return 0; // Nothing was ever counted in this file.
    }
  }
}

const KNOWN = "select max(cast(stat as integer)) from sqlite_stat1 where tbl = ?";

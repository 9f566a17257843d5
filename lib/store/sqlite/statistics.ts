import type { Definition } from "../port.ts";
import { arrayTablesOf } from "./array_tables.ts";
import type { Connection } from "./connection.ts";
import { directionOf, quoted, sql } from "./fragment.ts";
import { indexName } from "./index_names.ts";
import { type IndexKey, indexSchemas } from "./index_schema.ts";
import { bareTableName } from "./table_name.ts";

/** Entries of an index that are looked at: 2 ms. */
const SAMPLE = 2_000;
/** Where so many have more bytes, nothing is said of the index. */
const SAMPLE_BYTES_MAX = 4_194_304;
/** Fewer rows are read in no time, in whatever way. */
const ROWS_MIN = 200;
/** Of how many commits to a table one has its rows counted. */
const COMMITS = 64;

/** An index, of which it is to be known how its entries are spread. */
interface Sampled {
  readonly name: string;
  readonly keys: readonly Pick<IndexKey, "value" | "descending">[];
  readonly where: string | null;
  /** Whether its first key tells live from deleted. */
  readonly isListing: boolean;
}

/**
 * Tells SQLite how documents are spread over the indexes of their definition; run inside a write
 * transaction. Its own `analyze` reads each index to its end to count its entries, even where it is
 * told to look at few of them: of a million documents it takes half a second. And by the beginning
 * of an index it would take most documents for deleted or most for others. Nearly all are on one
 * side of the trash, so that side is said to have all of them.
 */
export function analyze(db: Connection, definition: Definition): void {
  if (!hasStatistics(db)) db.run(sql("analyze counts")); // Their table is SQLite's own to make.
  const table = bareTableName(definition);
  const counted = sql("select live + deleted from counts where name = ?", definition.name);
  const rows = Number(db.get(counted)?.[0] ?? 0);
  forget(db, table);
  tell(db, { table, name: `sqlite_autoindex_${table}_1` }, [rows, 1]);
  for (const { isUnique, ...index } of indexSchemas(definition).values()) {
    sample(db, { table, entries: rows }, { ...index, isListing: !isUnique });
  }
  for (const { name, index, keys } of arrayTablesOf(definition)) {
    const of = { table: name.slice(1, -1), entries: rows * elementsEach(db, name) };
    forget(db, of.table);
    sample(db, of, {
      name: indexName(definition, index),
      keys: keys.map(({ column, descending }) => ({ value: column, descending })),
      where: null,
      isListing: definition.trash,
    });
  }
}

const hasStatistics = (db: Connection): boolean =>
  db.get(sql("select 1 from sqlite_schema where name = 'sqlite_stat1'")) !== undefined;

const forget = (db: Connection, table: string): void =>
  db.run(sql("delete from sqlite_stat1 where tbl = ?", table));

/** @param stat How many entries there are, and how many begin with the same one, two … keys. */
const tell = (
  db: Connection,
  { table, name }: { readonly table: string; readonly name: string },
  stat: readonly number[],
): void =>
  db.run(
    sql("insert into sqlite_stat1(tbl, idx, stat) values(?, ?, ?)", table, name, stat.join(" ")),
  );

/** How many elements an array has, of records that have any. */
function elementsEach(db: Connection, table: string): number {
  const first = `select seq from ${table} order by seq limit ${SAMPLE}`;
  const [elements, records] = db.get(sql(`select count(*), count(distinct seq) from (${first})`))!;
  return Math.ceil(Number(elements) / Math.max(Number(records), 1));
}

function sample(
  db: Connection,
  { table, entries }: { readonly table: string; readonly entries: number },
  { name, keys, where, isListing }: Sampled,
): void {
  const values = keys.map(({ value }) => value).join();
  const order = keys.map(({ value, descending }) => value + directionOf(descending)).join();
  const first = sql(
    `select ${values} from ${quoted(table)} indexed by ${quoted(name)} ` +
      `${where === null ? "" : `where ${where} `}order by ${order} limit ${SAMPLE}`,
  );
  const found = db.allWithin(first, SAMPLE_BYTES_MAX);
  if (found === null || found.length === 0) return;
  const distinct = keys.map(() => 1);
  for (const [i, row] of found.entries()) {
    if (i === 0) continue;
    const same = row.findIndex((value, key) => value !== found[i - 1]![key]);
    for (let key = same; key !== -1 && key < keys.length; key++) distinct[key]!++;
  }
  const alike = distinct.map((count) => Math.ceil(found.length / count));
  if (isListing) alike[0] = entries;
  tell(db, { table, name }, [entries, ...alike]);
}

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

import type { Definition, StoredRecord } from "../port.ts";
import { parseJson } from "../json_text.ts";
import { differInWords, searchPathsOf, textsIn, wordsOf } from "../search.ts";
import { valueAt } from "../shape.ts";
import { GUARD } from "./budget.ts";
import type { Connection } from "./connection.ts";
import { type Fragment, quoted, sql } from "./fragment.ts";
import { gramsOf } from "./text_grams.ts";
import { tableName } from "./table_name.ts";
import type { TextLookup } from "./text_lookup.ts";

/** Every sign of ASCII: what stands between two spaces is one word, as we have found it. */
const SIGNS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
const inQuotes = (text: string, quote: string): string =>
  quote + text.replaceAll(quote, quote + quote) + quote;
const TOKENIZER = inQuotes(`ascii tokenchars ${inQuotes(SIGNS, "'")}`, '"');

/** U+10FFFF is no character, so every word with the same beginning sorts before it. */
const BEHIND_ALL = "\u{10ffff}";

/**
 * The words of a definition's records and pieces of their short texts, in an FTS5 table beside theirs,
 * by `seq`. It keeps which records have one and nothing else: neither texts nor places in them.
 */
export class WordsTable {
  readonly #definition: Definition;
  readonly #name: string;
  /** Spells out what is searched, as names of indexes do: with other fields it is another table. */
  readonly #column: string;
  /** As SQLite keeps it, so that the two can be compared. */
  readonly #statement: string;

  private constructor(definition: Definition) {
    this.#definition = definition;
    this.#name = quoted(nameOf(definition));
    this.#column = quoted(`words of ${searchPathsOf(definition).join()}`);
    this.#statement =
      `CREATE VIRTUAL TABLE ${this.#name} using fts5(${this.#column}, content='', ` +
      `contentless_delete=1, detail=none, tokenize=${TOKENIZER})`;
  }

  /** Null where a definition has no search fields. */
  static of(definition: Definition): WordsTable | null {
    let table = WordsTable.#of.get(definition);
    if (table === undefined) {
      table = searchPathsOf(definition).length === 0 ? null : new WordsTable(definition);
      WordsTable.#of.set(definition, table);
    }
    return table;
  }

  static readonly #of = new WeakMap<Definition, WordsTable | null>();

  isIn(db: Connection): boolean {
    return storedStatement(db, this.#definition) === this.#statement;
  }

  /** Makes it for the records there are. */
  make(db: Connection): void {
    db.run(sql(this.#statement));
    db.run(sql(`insert into ${this.#name}(${this.#name}, rank) values('pgsz', ${PAGE_BYTES})`));
    for (let behind: number | null = 0; behind !== null;) behind = this.fill(db, behind);
  }

  /**
   * Adds the words of some records behind this `seq`, which has none of its own yet. Returns the last
   * one's; null if there are no more.
   */
  fill(db: Connection, behind: number): number | null {
    const rows = db.all(sql(
      `select seq, doc from ${tableName(this.#definition)} where seq > ? order by seq ` +
        `limit ${FILLED_ROWS}`,
      behind,
    ));
    for (const [seq, text] of rows) {
      const words = this.#wordsOf(parseJson(text as string) as StoredRecord); // As it was stored.
      if (words !== "") db.run(this.#written("insert", "?", [seq as number, words]));
    }
    return rows.length < FILLED_ROWS ? null : rows.at(-1)![0] as number;
  }

  /** To be run next after the record was inserted; null where it has no words. */
  insert(record: StoredRecord): Fragment | null {
    const words = this.#wordsOf(record);
    return words === "" ? null : this.#written("insert", "last_insert_rowid()", [words]);
  }

  /** Null where the record's words stay. */
  update(seq: number, before: StoredRecord, after: StoredRecord): Fragment | null {
    if (!differInWords(this.#definition, before, after)) return null;
    const words = this.#wordsOf(after);
    return words === "" ? this.delete(seq) : this.#written("replace", "?", [seq, words]);
  }

  delete(seq: number): Fragment {
    return sql(`delete from ${this.#name} where rowid = ?`, seq);
  }

  /** The `seq` of all records that have a word with each of these beginnings. */
  matching(words: readonly string[]): Fragment {
    return sql(
      `select rowid from ${this.#name} where ${this.#name} match ? and ${GUARD}`,
      words.map((word) => `${inQuotes(word, '"')}*`).join(" "),
    );
  }

  /** The `seq` of all records that may hold a text. */
  holding({ grams, long }: TextLookup): Fragment {
    const all = grams.map((gram) => inQuotes(gram, '"')).join(" ");
    return sql(
      `select rowid from ${this.#name} where ${this.#name} match ? and ${GUARD}`,
      `(${all}) OR ${inQuotes(long, '"')}`,
    );
  }

  /** Whether those are few enough to go through all of them. */
  areFew(db: Connection, { grams, long }: TextLookup): boolean {
    const isShort = (token: string) => this.#pagesBetween(db, token, token) <= FEW_PAGES;
    return isShort(long) && grams.some(isShort);
  }

  /**
   * How many pages of the table are read in one go before the first record is known that has words
   * with these beginnings, beside one for each of its parts. That is all of the work that no guard
   * can end: some 0.2 ms for each. What is read here is laid down in the format of FTS5's tables.
   */
  pagesOf(db: Connection, words: readonly string[]): number {
    return words.reduce((sum, word) => sum + this.#pagesBetween(db, word, word + BEHIND_ALL), 0);
  }

  #pagesBetween(db: Connection, from: string, to: string): number {
    const [idx, data] = ["idx", "data"].map((part) =>
      quoted(`${nameOf(this.#definition)}_${part}`)
    );
    const page = (which: string) => `(select pgno >> 1 from ${idx} where segid = id and ${which})`;
    const last = `(select max(k.id) - (parts.id << 37) + 1 from ${data} k ` +
      "where k.id < (parts.id << 37) + (1 << 31))";
    const statement = `with recursive parts(id) as (select min(segid) from ${idx} union all ` +
      `select (select min(segid) from ${idx} where segid > id) from parts where id is not null) ` +
      `select sum(coalesce(${page("term > cast(? as blob) order by term limit 1")}, ${last}) - ` +
      `${page("term <= cast(? as blob) order by term desc limit 1")} - 1) ` +
      "from parts where id is not null";
    return Number(db.get(sql(statement, `0${to}`, `0${from}`))?.[0] ?? 0);
  }

  /** Words, and pieces of texts. */
  #wordsOf(record: StoredRecord): string {
    const parts = wordsOf(this.#definition, record);
    for (const [place, path] of searchPathsOf(this.#definition).entries()) {
      parts.push(...gramsOf(place, textsIn(valueAt(record, path))));
    }
    return parts.join(" ");
  }

  #written(how: "insert" | "replace", seq: string, values: Fragment["values"]): Fragment {
    return sql(`${how} into ${this.#name}(rowid, ${this.#column}) values(${seq}, ?)`, ...values);
  }
}

const FILLED_ROWS = 500;

/** Of one piece of texts: some 2,000 records. */
const FEW_PAGES = 1;

/** So many pages are merged at a time that it takes three times as long with FTS5's own 4,050. */
const PAGE_BYTES = 1_000;

/** No table of records and no part of another such table is called so. */
const nameOf = ({ name }: Pick<Definition, "name">): string => `s_${name}/words`;

const storedStatement = (db: Connection, definition: Definition): string | undefined =>
  db.get(sql("select sql from sqlite_schema where name = ?", nameOf(definition)))?.[0] as
    | string
    | undefined;

export const hasWords = (db: Connection, definition: Definition): boolean =>
  storedStatement(db, definition) !== undefined;

export const dropWords = (db: Connection, definition: Definition): void =>
  db.run(sql(`drop table if exists ${quoted(nameOf(definition))}`));

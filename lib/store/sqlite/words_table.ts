import type { Definition, StoredRecord } from "../port.ts";
import { parseJson } from "../json_text.ts";
import { differInWords, searchPathsOf, textsIn, wordsOf } from "../search.ts";
import { valueAt } from "../shape.ts";
import { guardOn } from "./budget.ts";
import type { Connection, Row } from "./connection.ts";
import { type Fragment, quoted, sql } from "./fragment.ts";
import { gramsOf } from "./text_grams.ts";
import { tableName } from "./table_name.ts";

/** Every sign of ASCII: what stands between two spaces is one word, as we have found it. */
const SIGNS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
const inQuotes = (text: string, quote: string): string =>
  quote + text.replaceAll(quote, quote + quote) + quote;
const TOKENIZER = inQuotes(`ascii tokenchars ${inQuotes(SIGNS, "'")}`, '"');

/** U+10FFFF is no character, so every word with the same beginning sorts before it. */
const BEHIND_ALL = "\u{10ffff}";

/** A text that all matches have in a search field. */
export interface TextLookup {
  readonly path: string;
  /** What the field has in texts that may have it. */
  readonly grams: readonly string[];
  /** What it has of texts that are looked into themselves. */
  readonly long: string;
}

/** About how many records have words. */
export interface Spread {
  /**
   * How often records have one of the words. FTS5 goes through all of that before the first match
   * is known, and no guard can end it: some 0.05 µs for each.
   */
  readonly occurrences: number;
  /** How many records have all of the words, if those that have one have another as often as any. */
  readonly matches: number;
  /** The same over all records. */
  readonly share: number;
}

/**
 * The words of a definition's records and pieces of their short texts, in an FTS5 table beside theirs,
 * by `seq`. It keeps which records have one and nothing else: neither texts nor places in them.
 */
export class WordsTable {
  readonly #definition: Definition;
  readonly #name: string;

  /** Takes a definition that has search fields. */
  constructor(definition: Definition) {
    this.#definition = definition;
    this.#name = quoted(nameOf(definition));
  }

  isIn(db: Connection): boolean {
    return storedStatement(db, nameOf(this.#definition)) === this.#statement;
  }

  /** Spells out what is searched, as names of indexes do: with other fields it is another table. */
  get #column(): string {
    return quoted(`words of ${searchPathsOf(this.#definition).join()}`);
  }

  /** As SQLite keeps it, so that the two can be compared. */
  get #statement(): string {
    return `CREATE VIRTUAL TABLE ${this.#name} using fts5(${this.#column}, content='', ` +
      `contentless_delete=1, detail=column, tokenize=${TOKENIZER})`;
  }

  /** Makes it for the records there are. */
  make(db: Connection): void {
    db.run(sql(this.#statement));
    db.run(sql(`insert into ${this.#name}(${this.#name}, rank) values('pgsz', ${PAGE_BYTES})`));
    let rows: Row[];
    let next = 0;
    do {
      rows = db.all(sql(
        `select seq, doc from ${tableName(this.#definition)} where seq >= ? ` +
          `order by seq limit ${FILLED_ROWS}`,
        next,
      ));
      for (const [seq, text] of rows) {
        const words = this.#wordsOf(parseJson(text as string) as StoredRecord); // As it was stored.
        if (words !== "") db.run(this.#written("insert", seq as number, words));
        next = seq as number + 1;
      }
    } while (rows.length === FILLED_ROWS);
  }

  /** Null where the record has no words. */
  insert(seq: number, record: StoredRecord): Fragment | null {
    const words = this.#wordsOf(record);
    return words === "" ? null : this.#written("insert", seq, words);
  }

  /** Null where the record's words stay. */
  update(seq: number, before: StoredRecord, after: StoredRecord): Fragment | null {
    if (!differInWords(this.#definition, before, after)) return null;
    const words = this.#wordsOf(after);
    return words === "" ? this.delete(seq) : this.#written("replace", seq, words);
  }

  delete(seq: number): Fragment {
    return sql(`delete from ${this.#name} where rowid = ?`, seq);
  }

  /** The `seq` of all records that have a word with each of these beginnings. */
  matching(words: readonly string[]): Fragment {
    return sql(
      `select rowid from ${this.#name} where ${this.#name} match ? and ${WORDS_GUARD}`,
      words.map((word) => `${inQuotes(word, '"')}*`).join(" "),
    );
  }

  /** The `seq` of all records that may hold a text. */
  holding({ grams, long }: TextLookup): Fragment {
    const all = grams.map((gram) => inQuotes(gram, '"')).join(" ");
    return sql(
      `select rowid from ${this.#name} where ${this.#name} match ? and ${WORDS_GUARD}`,
      `(${all}) OR ${inQuotes(long, '"')}`,
    );
  }

  /** Whether those are few enough to go through all of them. */
  areFew(db: Connection, { grams, long }: TextLookup): boolean {
    const isRare = (token: string) => this.#counted(db, token, token).count < COUNTED_MAX;
    return isRare(long) && grams.some(isRare);
  }

  /** About how many records have words with these beginnings. */
  spreadOf(db: Connection, words: readonly string[]): Spread {
    const table = tableName(this.#definition);
    const [first, last] = db.get(sql(
      `select (select min(seq) from ${table}), (select max(seq) from ${table})`,
    )) as [number | null, number | null];
    if (first === null) return { occurrences: 0, matches: 0, share: 0 };
    const counts = sql("select live + deleted from counts where name = ?", this.#definition.name);
    const records = Math.max(1, Number(db.get(counts)?.[0] ?? 0));
    let [occurrences, share] = [0, 1];
    for (const word of words) {
      const { count, terms, lastSeq } = this.#counted(db, word, word + BEHIND_ALL);
      let all = count;
      // What one word has up to some record it has behind it, too; of other words nothing is known.
      if (count === COUNTED_MAX) {
        all = terms > 1 ? Infinity : count * (last! - first + 1) / (lastSeq - first + 1);
      }
      occurrences += all;
      share *= Math.min(1, all / records);
    }
    return { occurrences, share, matches: share * records };
  }

  /** Counts records with words from one to another, up to a number; a record with two counts twice. */
  #counted(db: Connection, from: string, to: string): Counted {
    const vocabulary = quoted(`v_${this.#definition.name}`);
    db.run(sql(
      `create virtual table if not exists temp.${vocabulary} ` +
        `using fts5vocab(main, ${this.#name}, instance)`,
    ));
    const [count, terms, lastSeq] = db.get(sql(
      "select count(*), count(distinct term), max(doc) from " +
        `(select term, doc from temp.${vocabulary} where term >= ? and term <= ? ` +
        `limit ${COUNTED_MAX})`,
      ...[from, to],
    )) as [number, number, number];
    return { count, terms, lastSeq };
  }

  /** Words, and pieces of texts. */
  #wordsOf(record: StoredRecord): string {
    const parts = wordsOf(this.#definition, record);
    for (const [place, path] of searchPathsOf(this.#definition).entries()) {
      parts.push(...gramsOf(place, textsIn(valueAt(record, path))));
    }
    return parts.join(" ");
  }

  #written(how: "insert" | "replace", seq: number, words: string): Fragment {
    return sql(`${how} into ${this.#name}(rowid, ${this.#column}) values(?, ?)`, seq, words);
  }
}

/** Returns null where a definition has no search fields. */
export const wordsTableOf = (definition: Definition): WordsTable | null =>
  searchPathsOf(definition).length === 0 ? null : new WordsTable(definition);

const WORDS_GUARD = guardOn("rowid");

const FILLED_ROWS = 500;

/** Of words: so many take about a millisecond. */
const COUNTED_MAX = 2_000;

interface Counted {
  readonly count: number;
  /** How many different words were counted. */
  readonly terms: number;
  readonly lastSeq: number;
}

/** So many pages are merged at a time that it takes three times as long with FTS5's own 4,050. */
const PAGE_BYTES = 1_000;

/** No table of records and no part of another such table is called so. */
const nameOf = ({ name }: Pick<Definition, "name">): string => `s_${name}/words`;

const storedStatement = (db: Connection, name: string): string | undefined =>
  db.get(sql("select sql from sqlite_schema where name = ?", name))?.[0] as string | undefined;

export const hasWords = (db: Connection, definition: Definition): boolean =>
  storedStatement(db, nameOf(definition)) !== undefined;

export const dropWords = (db: Connection, definition: Definition): void =>
  db.run(sql(`drop table if exists ${quoted(nameOf(definition))}`));

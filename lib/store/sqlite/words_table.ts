import type { Definition, StoredRecord } from "../port.ts";
import { parseJson } from "../json_text.ts";
import { mayDifferInWords, searchPathsOf, textsIn, wordsOf } from "../search.ts";
import { valueAt } from "../shape.ts";
import { guardOn } from "./budget.ts";
import type { Connection, Row } from "./connection.ts";
import { type Fragment, quoted, sql } from "./fragment.ts";
import { gramsOf } from "./text_grams.ts";
import { tableName } from "./table_name.ts";

/** All ASCII punctuation, which counts as part of words: words are separated by spaces only. */
const ASCII_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
const inQuotes = (text: string, quote: string): string =>
  quote + text.replaceAll(quote, quote + quote) + quote;
const TOKENIZER = inQuotes(`ascii tokenchars ${inQuotes(ASCII_PUNCTUATION, "'")}`, '"');

/** A noncharacter that sorts after every continuation of a word. */
const LAST_CHARACTER = "\u{10ffff}";

/** A text that every matching record contains in a search field. */
export interface TextLookup {
  readonly path: string;
  /** Trigrams that the field has if it contains the text. */
  readonly grams: readonly string[];
  /** Token of long texts in the field, which are always tested. */
  readonly long: string;
}

export interface WordFrequency {
  /**
   * Number of occurrences of any of the words. FTS5 scans all of them before it returns the first
   * match, at about 0.05 µs each, and no guard can stop it.
   */
  readonly occurrences: number;
  /** Number of records with all of the words, if the words are independent. */
  readonly matches: number;
  /** Share of all records that have all of the words. */
  readonly share: number;
}

/**
 * The words of a definition's records and trigrams of their short texts, in an FTS5 table by `seq`.
 * It stores only which records have a word, not the texts or positions.
 */
export class WordsTable {
  readonly #definition: Definition;
  readonly #name: string;

  constructor(definition: Definition) {
    this.#definition = definition;
    this.#name = quoted(wordsTableName(definition));
  }

  exists(db: Connection): boolean {
    return storedStatement(db, wordsTableName(this.#definition)) === this.#statement;
  }

  /** The column's name, which spells out the search fields: other fields make another table. */
  get #column(): string {
    return quoted(`words of ${searchPathsOf(this.#definition).join()}`);
  }

  /** The statement that creates the table, spelled as SQLite stores it, for comparison. */
  get #statement(): string {
    return `CREATE VIRTUAL TABLE ${this.#name} using fts5(${this.#column}, content='', ` +
      `contentless_delete=1, detail=column, tokenize=${TOKENIZER})`;
  }

  /** Creates the table and fills it with the words of all records. */
  create(db: Connection): void {
    db.run(sql(this.#statement));
    db.run(sql(`insert into ${this.#name}(${this.#name}, rank) values('pgsz', ${PAGE_BYTES})`));
    let rows: Row[];
    let next = 0;
    do {
      rows = db.all(sql(
        `select seq, doc from ${tableName(this.#definition)} where seq >= ? ` +
          `order by seq limit ${BATCH_ROWS_MAX}`,
        next,
      ));
      for (const [seq, text] of rows) {
        const words = this.#wordsOf(parseJson(text as string) as StoredRecord);
        if (words !== "") db.run(this.#writeStatement("insert", seq as number, words));
        next = seq as number + 1;
      }
    } while (rows.length === BATCH_ROWS_MAX);
  }

  /** Returns the statement that inserts a record's words; null if it has none. */
  insert(seq: number, record: StoredRecord): Fragment | null {
    const words = this.#wordsOf(record);
    return words === "" ? null : this.#writeStatement("insert", seq, words);
  }

  /** Returns the statement that updates a record's words; null if they have not changed. */
  update(seq: number, before: StoredRecord, after: StoredRecord): Fragment | null {
    if (!mayDifferInWords(this.#definition, before, after)) return null;
    const words = this.#wordsOf(after);
    return words === "" ? this.delete(seq) : this.#writeStatement("replace", seq, words);
  }

  delete(seq: number): Fragment {
    return sql(`delete from ${this.#name} where rowid = ?`, seq);
  }

  /** Returns a subquery for the `seq` of all records that have a word with each of the prefixes. */
  matching(words: readonly string[]): Fragment {
    return sql(
      `select rowid from ${this.#name} where ${this.#name} match ? and ${WORDS_GUARD}`,
      words.map((word) => `${inQuotes(word, '"')}*`).join(" "),
    );
  }

  /** Returns a subquery for the `seq` of all records that may contain a text. */
  holding({ grams, long }: TextLookup): Fragment {
    const all = grams.map((gram) => inQuotes(gram, '"')).join(" ");
    return sql(
      `select rowid from ${this.#name} where ${this.#name} match ? and ${WORDS_GUARD}`,
      `(${all}) OR ${inQuotes(long, '"')}`,
    );
  }

  /** Whether few enough records may contain a text to go through all of them. */
  isSelective(db: Connection, { grams, long }: TextLookup): boolean {
    const isRare = (token: string) => this.#countTerms(db, token, token).count < TERMS_COUNTED_MAX;
    return isRare(long) && grams.some(isRare);
  }

  frequencyOf(db: Connection, words: readonly string[]): WordFrequency {
    const table = tableName(this.#definition);
    const [first, last] = db.get(sql(
      `select (select min(seq) from ${table}), (select max(seq) from ${table})`,
    )) as [number | null, number | null];
    if (first === null) return { occurrences: 0, matches: 0, share: 0 };
    const counts = sql("select live + deleted from counts where name = ?", this.#definition.name);
    const records = Math.max(1, Number(db.get(counts)?.[0] ?? 0));
    let [occurrences, share] = [0, 1];
    for (const word of words) {
      const { count, terms, lastSeq } = this.#countTerms(db, word, word + LAST_CHARACTER);
      let all = count;
      // The frequency of a single word up to some record is extrapolated. Nothing is known about
      // further words.
      if (count === TERMS_COUNTED_MAX) {
        all = terms > 1 ? Infinity : count * (last! - first + 1) / (lastSeq - first + 1);
      }
      occurrences += all;
      share *= Math.min(1, all / records);
    }
    return { occurrences, share, matches: share * records };
  }

  /** Counts records with words in a range, up to a limit, once for each word. */
  #countTerms(db: Connection, from: string, to: string): TermCount {
    const vocabulary = quoted(`v_${this.#definition.name}`);
    db.run(sql(
      `create virtual table if not exists temp.${vocabulary} ` +
        `using fts5vocab(main, ${this.#name}, instance)`,
    ));
    const [count, terms, lastSeq] = db.get(sql(
      "select count(*), count(distinct term), max(doc) from " +
        `(select term, doc from temp.${vocabulary} where term >= ? and term <= ? ` +
        `limit ${TERMS_COUNTED_MAX})`,
      ...[from, to],
    )) as [number, number, number];
    return { count, terms, lastSeq };
  }

  #wordsOf(record: StoredRecord): string {
    const parts = wordsOf(this.#definition, record);
    for (const [place, path] of searchPathsOf(this.#definition).entries()) {
      parts.push(...gramsOf(place, textsIn(valueAt(record, path))));
    }
    return parts.join(" ");
  }

  #writeStatement(how: "insert" | "replace", seq: number, words: string): Fragment {
    return sql(`${how} into ${this.#name}(rowid, ${this.#column}) values(?, ?)`, seq, words);
  }
}

/** Returns the words table of a definition; null if it has no search fields. */
export const wordsTableOf = (definition: Definition): WordsTable | null =>
  searchPathsOf(definition).length === 0 ? null : new WordsTable(definition);

const WORDS_GUARD = guardOn("rowid");

const BATCH_ROWS_MAX = 500;

/** Maximum number of terms that are counted, which takes about a millisecond. */
const TERMS_COUNTED_MAX = 2_000;

interface TermCount {
  readonly count: number;
  readonly terms: number;
  readonly lastSeq: number;
}

/** Page size in bytes. With FTS5's default of 4,050, merges take three times as long. */
const PAGE_BYTES = 1_000;

/** Returns the name of a words table, distinct from tables of records and of FTS5. */
const wordsTableName = ({ name }: Pick<Definition, "name">): string => `s_${name}/words`;

const storedStatement = (db: Connection, name: string): string | undefined =>
  db.get(sql("select sql from sqlite_schema where name = ?", name))?.[0] as string | undefined;

export const hasWords = (db: Connection, definition: Definition): boolean =>
  storedStatement(db, wordsTableName(definition)) !== undefined;

export const dropWords = (db: Connection, definition: Definition): void =>
  db.run(sql(`drop table if exists ${quoted(wordsTableName(definition))}`));

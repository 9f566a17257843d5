import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Problem } from "../../problems.ts";

export type Row = Readonly<Record<string, string | number | null>>;

export const refuse = (message: string, cause?: unknown): Problem =>
  new Problem("INVALID_INPUT", { message, cause });

/** A name as SQL has it. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A SQLite file of ours, in which a source is sorted without being in memory. */
export class Scratch implements Disposable {
  readonly #db: DatabaseSync;

  /** @param path Of a file that nobody else uses; made if it is not there. */
  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    try {
      // What is half written is thrown away, so nothing has to reach the disk.
      this.#db.exec(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE;",
      );
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  /** Makes a function known to SQL. Its result follows from what it is given. */
  define(name: string, work: (...values: (string | number | null)[]) => string | null): void {
    this.#db.function(name, { deterministic: true }, work as (...values: unknown[]) => string);
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  /** A statement that is run again and again. Tells how many rows it has changed. */
  runner(sql: string): (...values: SQLInputValue[]) => number {
    const statement = this.#db.prepare(sql);
    return (...values) => Number(statement.run(...values).changes);
  }

  /** A question for one row that is asked again and again. */
  finder(sql: string): (...values: SQLInputValue[]) => Row | null {
    const statement = this.#db.prepare(sql);
    return (...values) => (statement.get(...values) as Row | undefined) ?? null;
  }

  /** The same for all rows. */
  prepared(sql: string): (...values: SQLInputValue[]) => Row[] {
    const statement = this.#db.prepare(sql);
    return (...values) => statement.all(...values) as Row[];
  }

  *rows(sql: string, ...values: SQLInputValue[]): Generator<Row> {
    yield* this.#db.prepare(sql).iterate(...values) as Iterable<Row>;
  }
}

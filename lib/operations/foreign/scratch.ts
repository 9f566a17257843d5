import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Problem } from "../../problems.ts";

export type Row = Readonly<Record<string, string | number | null>>;

export const invalidSource = (message: string, cause?: unknown): Problem =>
  new Problem("INVALID_INPUT", { message, cause });

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A temporary SQLite file in which a source is sorted without loading it into memory. */
export class ScratchDatabase implements Disposable {
  readonly #db: DatabaseSync;

  /** @param path File for exclusive use, created if it does not exist. */
  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    try {
      // An incomplete file is discarded, so durability is not needed.
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

  define(name: string, work: (...values: (string | number | null)[]) => string | null): void {
    this.#db.function(name, { deterministic: true }, work as (...values: unknown[]) => string);
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  /** The returned function returns the number of changed rows. */
  prepareRun(sql: string): (...values: SQLInputValue[]) => number {
    const statement = this.#db.prepare(sql);
    return (...values) => Number(statement.run(...values).changes);
  }

  prepareGet(sql: string): (...values: SQLInputValue[]) => Row | null {
    const statement = this.#db.prepare(sql);
    return (...values) => (statement.get(...values) as Row | undefined) ?? null;
  }

  prepareAll(sql: string): (...values: SQLInputValue[]) => Row[] {
    const statement = this.#db.prepare(sql);
    return (...values) => statement.all(...values) as Row[];
  }

  *rows(sql: string, ...values: SQLInputValue[]): Generator<Row> {
    yield* this.#db.prepare(sql).iterate(...values) as Iterable<Row>;
  }
}

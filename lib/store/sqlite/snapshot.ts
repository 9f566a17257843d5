import {
  type Definition,
  type Id,
  type Snapshot,
  SNAPSHOT_BYTES,
  SNAPSHOT_RECORDS,
  type Stored,
  type StoredRecord,
} from "../port.ts";
import { StoredText } from "../texts.ts";
import { Connection } from "./connection.ts";
import { sql } from "./fragment.ts";
import { tableName } from "./table_name.ts";
import { hasTable } from "./tables.ts";

/** The state of a file at the time of opening: a read transaction on a separate connection. */
export class SqliteSnapshot implements Snapshot, Disposable {
  readonly isOfOneMoment = true;
  readonly #db: Connection;

  constructor(path: string) {
    // The file is not memory-mapped, because each page is read once and mapped pages count as
    // memory of the process.
    this.#db = new Connection(path, "normal");
    this.#db.run(sql("begin"));
    this.#db.get(sql("select count(*) from sqlite_schema")); // The first read fixes the state.
  }

  async *pages<T extends StoredRecord>(
    definition: Definition,
  ): AsyncGenerator<readonly Stored<T>[]> {
    if (!hasTable(this.#db, definition)) return;
    const table = tableName(definition);
    for (let after: Id = "";;) {
      const last = this.#endBehind(table, after);
      if (last === null) return;
      const within = sql(
        `select rev, doc from ${table} where id > ? and id <= ? order by id`,
        after,
        last,
      );
      yield this.#db.all(within)
        .map(([revision, json]) => new StoredText<T>(json as string, revision as number));
      after = last;
    }
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  /** Returns the last id of the page after an id; null if there are no more records. */
  #endBehind(table: string, after: Id): Id | null {
    const rows = this.#db.all(
      sql(
        `select id, octet_length(doc) from ${table} where id > ? order by id limit ?`,
        after,
        SNAPSHOT_RECORDS,
      ),
    );
    let bytes = 0;
    const end = rows.findIndex(([, length]) => (bytes += length as number) > SNAPSHOT_BYTES);
    // A page has at least one record.
    const last = end < 0 ? rows.at(-1) : rows[Math.max(end - 1, 0)];
    return (last?.[0] ?? null) as Id | null;
  }
}

import { LRUCache } from "lru-cache";
import { StoreUnavailable } from "../errors.ts";
import type { Definition, Engine, Records, Space, StoredRecord, Transaction } from "../port.ts";
import type { Connection, Sync } from "./connection.ts";
import { sql } from "./fragment.ts";
import { type Access, SqliteRecords } from "./records.ts";
import { FileSpace } from "./space.ts";

export interface SqliteOptions {
  /** Holds `control.db` and `projects/<id>.db`; made if it is missing. */
  readonly folder: string;
  readonly sync: Sync;
  /**
   * How many project files stay open. Each holds five descriptors (two connections, their two
   * logs, one shared index) and some 250 KB; ten thousand projects share this many.
   */
  readonly filesMax?: number;
}

const FILES_MAX = 100;

/** The embedded engine: one file per space. Several processes may share a folder. */
export class SqliteEngine implements Engine {
  readonly name = "sqlite";
  readonly #folder: string;
  readonly #sync: Sync;
  readonly #control: FileSpace;
  readonly #projects: LRUCache<string, FileSpace>;

  private constructor({ folder, sync, filesMax = FILES_MAX }: SqliteOptions) {
    this.#folder = folder;
    this.#sync = sync;
    this.#control = FileSpace.open(`${folder}/control.db`, sync);
    this.#projects = new LRUCache({ max: filesMax, dispose: (space) => space.close() });
  }

  /** Throws `StoreUnavailable` when the folder cannot be used, `StoreMismatch` for a foreign file. */
  static async open(options: SqliteOptions): Promise<SqliteEngine> {
    try {
      await Deno.mkdir(`${options.folder}/projects`, { recursive: true });
    } catch (error) {
      throw new StoreUnavailable(`Cannot make the folder "${options.folder}"`, { cause: error });
    }
    return new SqliteEngine(options);
  }

  records<T extends StoredRecord>(space: Space, definition: Definition): Records<T> {
    return new SqliteRecords<T>(definition, {
      read: async (work) => {
        const file = this.#file(space);
        const wait = file.prepare(definition);
        // Without a wait the file cannot have been closed in between.
        if (wait === undefined) return work(file.reader);
        await wait;
        return work(this.#file(space).reader);
      },
      write: async (work) => {
        await this.#file(space).prepare(definition);
        return this.#file(space).exclusive(work);
      },
    });
  }

  transaction<T>(space: Space, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const file = this.#file(space);
    return file.exclusive((db) => work(transactionOn(file, db)));
  }

  createSpace(space: Space): Promise<void> {
    this.#file(space);
    return Promise.resolve();
  }

  async ping(): Promise<void> {
    await this.#control.exclusive((db) => void db.get(sql("select 1")));
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#projects.clear();
    this.#control.close();
    return Promise.resolve();
  }

  #file(space: Space): FileSpace {
    if (space === "control") return this.#control;
    let file = this.#projects.get(space);
    if (file === undefined) {
      file = FileSpace.open(`${this.#folder}/projects/${space}.db`, this.#sync);
      this.#projects.set(space, file);
    }
    return file;
  }
}

function transactionOn(file: FileSpace, db: Connection): Transaction {
  const run = <T>(definition: Definition, work: (db: Connection) => T): Promise<T> => {
    // A promise also for what throws: callers await, and must not see two kinds of failure.
    return Promise.try(() => {
      file.prepareWithin(db, definition);
      return work(db);
    });
  };
  return {
    records<T extends StoredRecord>(definition: Definition): Records<T> {
      const access: Access = {
        read: (work) => run(definition, work),
        write: (work) => run(definition, work),
      };
      return new SqliteRecords<T>(definition, access);
    },
    define: (definition) => Promise.try(() => file.redefineWithin(db, definition)),
  };
}

import type { Groups } from "../aggregation.ts";
import { StoreUnavailable } from "../errors.ts";
import { recordsOf } from "../pages.ts";
import type {
  Aggregation,
  Change,
  Definition,
  Explanation,
  Filter,
  FindQuery,
  Id,
  ListQuery,
  Page,
  Records,
  ReferrerQuery,
  Stored,
  StoredRecord,
  Transaction,
  Writing,
} from "../port.ts";
import { StoredText } from "../texts.ts";
import type { SpaceFile } from "./open_file.ts";
import type { Exclusively } from "./writer.ts";
import {
  errorOf,
  receivedPage,
  type RecordsCall,
  type SentPage,
  type StepAnswer,
  type TransactionStep,
} from "./transaction_steps.ts";

/** Runs a transaction on a connection in a thread of its own. */
export async function transactionInThread<T>(
  { path, sync }: Pick<SpaceFile, "path" | "sync">,
  exclusively: Exclusively,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  using thread = new DefinitionThread();
  await thread.ask({ do: "connect", path, sync }); // Others write until the thread is there.
  return await exclusively(async (waitMs) => {
    try {
      await thread.ask({ do: "begin", waitMs });
      const result = await work(thread);
      await thread.ask({ do: "commit" });
      return result;
    } finally {
      await thread.ask({ do: "close" }).catch(() => {}); // A thread that has ended holds no file.
    }
  });
}

class DefinitionThread implements Transaction, Disposable {
  readonly #worker = new Worker(new URL("./definition_worker.ts", import.meta.url), {
    type: "module",
  });
  /** Steps are answered in their order. */
  readonly #asked: PromiseWithResolvers<unknown>[] = [];
  #opened = 0;
  #hasEnded = false;

  constructor() {
    this.#worker.onmessage = ({ data }: MessageEvent<StepAnswer>) => {
      const asked = this.#asked.shift()!;
      if ("fault" in data) asked.reject(errorOf(data.fault));
      else asked.resolve(data.value);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#hasEnded = true;
      for (const asked of this.#asked.splice(0)) asked.reject(new StoreUnavailable(event.message));
    };
  }

  ask(step: TransactionStep): Promise<unknown> {
    if (this.#hasEnded) return Promise.reject(new Error("The transaction has ended"));
    const asked = Promise.withResolvers<unknown>();
    this.#asked.push(asked);
    this.#worker.postMessage(step);
    return asked.promise;
  }

  records<T extends StoredRecord>(definition: Definition, writing?: Writing): Records<T> {
    const on = this.#opened++;
    this.ask({ do: "open", definition, writing }).catch(() => {}); // The first call fails, too.
    return new ThreadRecords<T>((method, ...args) =>
      this.ask({ do: "call", call: { on, method, args } })
    );
  }

  async define(definition: Definition): Promise<void> {
    await this.ask({ do: "define", definition });
  }

  [Symbol.dispose](): void {
    this.#hasEnded = true;
    this.#worker.terminate();
  }
}

type Call = (method: RecordsCall["method"], ...args: readonly unknown[]) => Promise<unknown>;

/** Records whose methods are carried out in the thread, with what they return. */
class ThreadRecords<T extends StoredRecord> implements Records<T> {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  async insert(record: T): Promise<Stored<T>> {
    return received(await this.#call("insert", record) as Stored<T>);
  }

  async insertMany(records: readonly T[]): Promise<Stored<T>[]> {
    return (await this.#call("insertMany", records) as Stored<T>[]).map(received);
  }

  async restore(records: readonly Pick<Stored<T>, "value" | "revision">[]): Promise<void> {
    await this.#call("restore", records.map(({ value, revision }) => ({ value, revision })));
  }

  async get(id: Id): Promise<Stored<T> | null> {
    return receivedIfAny(await this.#call("get", id) as Stored<T> | null);
  }

  async findOne(filter: Filter): Promise<Stored<T> | null> {
    return receivedIfAny(await this.#call("findOne", filter) as Stored<T> | null);
  }

  async list(query: ListQuery): Promise<Page<T>> {
    return receivedPage(await this.#call("list", query) as SentPage, query);
  }

  find(query: FindQuery): AsyncGenerator<T> {
    return recordsOf(this, query);
  }

  async count(filter: Filter): Promise<number> {
    return await this.#call("count", filter) as number;
  }

  async aggregate(query: Aggregation): Promise<Groups> {
    return await this.#call("aggregate", query) as Groups;
  }

  async referrers(query: ReferrerQuery): Promise<ReadonlyMap<Id, readonly Id[]>> {
    return await this.#call("referrers", query) as ReadonlyMap<Id, readonly Id[]>;
  }

  async explain(query: ListQuery): Promise<Explanation> {
    return await this.#call("explain", query) as Explanation;
  }

  async updateOne(filter: Filter, change: Change): Promise<Stored<T> | null> {
    return receivedIfAny(await this.#call("updateOne", filter, change) as Stored<T> | null);
  }

  async upsert(filter: Filter, change: Change, record: T): Promise<Stored<T>> {
    return received(await this.#call("upsert", filter, change, record) as Stored<T>);
  }

  async deleteOne(filter: Filter): Promise<Stored<T> | null> {
    return receivedIfAny(await this.#call("deleteOne", filter) as Stored<T> | null);
  }

  async deleteMany(filter: Filter, limit: number): Promise<number> {
    return await this.#call("deleteMany", filter, limit) as number;
  }
}

/** What a record was read as loses its methods between threads. */
const received = <T>({ json, revision }: Stored<T>): Stored<T> => new StoredText(json, revision);

const receivedIfAny = <T>(stored: Stored<T> | null): Stored<T> | null => stored && received(stored);

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
  WriteOptions,
} from "../port.ts";
import { StoredText } from "../texts.ts";
import type { SpaceFile } from "./open_file.ts";
import type { RunExclusively } from "./writer.ts";
import {
  errorOf,
  fromSentPage,
  type RecordsCall,
  type SentPage,
  type StepAnswer,
  type TransactionStep,
} from "./transaction_steps.ts";

/** Runs a transaction on a connection in a separate thread. */
export async function transactionInThread<T>(
  { path, sync }: Pick<SpaceFile, "path" | "sync">,
  exclusively: RunExclusively,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  using thread = new DefinitionThread();
  await thread.ask({ do: "connect", path, sync }); // Other writes continue until then.
  return await exclusively(async (waitMs) => {
    try {
      await thread.ask({ do: "begin", waitMs });
      const result = await work(thread);
      await thread.ask({ do: "commit" });
      return result;
    } finally {
      await thread.ask({ do: "close" }).catch(() => {}); // It may have ended already.
    }
  });
}

class DefinitionThread implements Transaction, Disposable {
  readonly #worker = new Worker(new URL("./definition_worker.ts", import.meta.url), {
    type: "module",
  });
  /** Promises of pending steps. The thread responds in order. */
  readonly #pending: PromiseWithResolvers<unknown>[] = [];
  #opened = 0;
  #hasEnded = false;

  constructor() {
    this.#worker.onmessage = ({ data }: MessageEvent<StepAnswer>) => {
      const result = this.#pending.shift()!;
      if ("fault" in data) result.reject(errorOf(data.fault));
      else result.resolve(data.value);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#hasEnded = true;
      for (const result of this.#pending.splice(0)) {
        result.reject(new StoreUnavailable(event.message));
      }
    };
  }

  ask(step: TransactionStep): Promise<unknown> {
    if (this.#hasEnded) return Promise.reject(new Error("The transaction has ended"));
    const result = Promise.withResolvers<unknown>();
    this.#pending.push(result);
    this.#worker.postMessage(step);
    return result.promise;
  }

  records<T extends StoredRecord>(definition: Definition, writing?: WriteOptions): Records<T> {
    const index = this.#opened++;
    this.ask({ do: "open", definition, writing }).catch(() => {}); // Calls report the error.
    return new ThreadRecords<T>((method, ...args) =>
      this.ask({ do: "call", call: { index: index, method, args } })
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

type CallMethod = (method: RecordsCall["method"], ...args: readonly unknown[]) => Promise<unknown>;

/** Records whose methods run in the thread. */
class ThreadRecords<T extends StoredRecord> implements Records<T> {
  readonly #call: CallMethod;

  constructor(call: CallMethod) {
    this.#call = call;
  }

  async insert(record: T): Promise<Stored<T>> {
    return toStored(await this.#call("insert", record) as Stored<T>);
  }

  async insertMany(records: readonly T[]): Promise<Stored<T>[]> {
    return (await this.#call("insertMany", records) as Stored<T>[]).map(toStored);
  }

  async restore(records: readonly Pick<Stored<T>, "value" | "revision">[]): Promise<void> {
    await this.#call("restore", records.map(({ value, revision }) => ({ value, revision })));
  }

  async get(id: Id): Promise<Stored<T> | null> {
    return toStoredOrNull(await this.#call("get", id) as Stored<T> | null);
  }

  async findOne(filter: Filter): Promise<Stored<T> | null> {
    return toStoredOrNull(await this.#call("findOne", filter) as Stored<T> | null);
  }

  async list(query: ListQuery): Promise<Page<T>> {
    return fromSentPage(await this.#call("list", query) as SentPage, query);
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
    return toStoredOrNull(await this.#call("updateOne", filter, change) as Stored<T> | null);
  }

  async upsert(filter: Filter, change: Change, record: T): Promise<Stored<T>> {
    return toStored(await this.#call("upsert", filter, change, record) as Stored<T>);
  }

  async deleteOne(filter: Filter): Promise<Stored<T> | null> {
    return toStoredOrNull(await this.#call("deleteOne", filter) as Stored<T> | null);
  }

  async deleteMany(filter: Filter, limit: number): Promise<number> {
    return await this.#call("deleteMany", filter, limit) as number;
  }
}

/** Restores the methods of a record, which are lost between threads. */
const toStored = <T>({ json, revision }: Stored<T>): Stored<T> => new StoredText(json, revision);

const toStoredOrNull = <T>(stored: Stored<T> | null): Stored<T> | null =>
  stored && toStored(stored);

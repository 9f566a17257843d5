/**
 * The worker that changes a definition with many records: one transaction on its own connection.
 * The event loop sends the steps and serves requests in the meantime.
 */
import type { Definition, Page, Records } from "../port.ts";
import { Connection } from "./connection.ts";
import { sql } from "./fragment.ts";
import { hasTable, prepare } from "./tables.ts";
import { SqliteTransaction } from "./transaction.ts";
import {
  faultOf,
  type RecordsCall,
  type StepAnswer,
  toSentPage,
  type TransactionStep,
} from "./transaction_steps.ts";
import { WriteLockFairness } from "./write_lock_fairness.ts";

/** The global scope of a worker, which the type checker takes for that of a page. */
const thread = globalThis as unknown as {
  onmessage: ((event: MessageEvent<TransactionStep>) => void) | null;
  postMessage(answer: StepAnswer): void;
};

let db: Connection | null = null;
let transaction: SqliteTransaction;
/** Opened records, in the order of the `open` steps. */
const opened: Records[] = [];
const prepared = new WeakSet<Definition>();
let last = Promise.resolve();

thread.onmessage = ({ data }) => {
  last = last.then(async () => thread.postMessage(await answerStep(data)));
};

async function answerStep(step: TransactionStep): Promise<StepAnswer> {
  try {
    return { value: await execute(step) };
  } catch (error) {
    return { fault: faultOf(error) };
  }
}

async function execute(step: TransactionStep): Promise<unknown> {
  switch (step.do) {
    case "connect":
      db = new Connection(step.path, step.sync);
      db.configureThreadWriter();
      return db.run(sql("pragma busy_timeout = 0")); // WriteLockFairness retries instead.
    case "begin": {
      const begin = () => db!.run(sql("begin immediate"));
      await new WriteLockFairness().acquire(begin, performance.now() + step.waitMs);
      transaction = new SqliteTransaction({ hasTable, prepareWithin }, db!, () => {});
      return;
    }
    case "open":
      opened.push(transaction.records(step.definition, step.writing));
      return;
    case "call":
      return await callRecords(step.call);
    case "define":
      return await transaction.define(step.definition);
    case "commit":
      transaction.throwIfFailed();
      return db!.run(sql("commit"));
    case "close":
      return db!.close();
  }
}

function prepareWithin(db: Connection, definition: Definition): void {
  if (prepared.has(definition)) return;
  prepare(db, definition);
  prepared.add(definition);
}

async function callRecords({ index, method, args }: RecordsCall): Promise<unknown> {
  const records = opened[index]!;
  const call = records[method] as (...args: readonly unknown[]) => Promise<unknown>;
  const result = await call.apply(records, [...args]);
  return method === "list" ? toSentPage(result as Page) : result;
}

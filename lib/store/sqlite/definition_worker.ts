/**
 * The thread in which a definition of many records is changed: one transaction on a connection of its
 * own. The event loop sends the steps, and answers requests in the meantime.
 */
import type { Definition, Page, Records } from "../port.ts";
import { Connection } from "./connection.ts";
import { sql } from "./fragment.ts";
import { hasTable, prepare } from "./tables.ts";
import { SqliteTransaction } from "./transaction.ts";
import {
  faultOf,
  type RecordsCall,
  sentPage,
  type StepAnswer,
  type TransactionStep,
} from "./transaction_steps.ts";
import { WriteLockFairness } from "./write_lock_fairness.ts";

/** The global scope of a worker, which the type checker takes for a page's. */
const thread = globalThis as unknown as {
  onmessage: ((event: MessageEvent<TransactionStep>) => void) | null;
  postMessage(answer: StepAnswer): void;
};

let db: Connection | null = null;
let transaction: SqliteTransaction;
/** In the order in which they were opened. */
const opened: Records[] = [];
const prepared = new WeakSet<Definition>();
let last = Promise.resolve();

thread.onmessage = ({ data }) => {
  last = last.then(async () => thread.postMessage(await answerOf(data)));
};

async function answerOf(step: TransactionStep): Promise<StepAnswer> {
  try {
    return { value: await carriedOut(step) };
  } catch (error) {
    return { fault: faultOf(error) };
  }
}

async function carriedOut(step: TransactionStep): Promise<unknown> {
  switch (step.do) {
    case "connect":
      db = new Connection(step.path, step.sync);
      db.leaveCheckpoints();
      return db.run(sql("pragma busy_timeout = 0")); // The lock is asked for again below.
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
      return await called(step.call);
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

async function called({ on, method, args }: RecordsCall): Promise<unknown> {
  const records = opened[on]!;
  const call = records[method] as (...args: readonly unknown[]) => Promise<unknown>;
  const result = await call.apply(records, [...args]);
  return method === "list" ? sentPage(result as Page) : result;
}

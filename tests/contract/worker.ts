/**
 * A process on the store whose address is its argument. Each line of standard input is a {@linkcode
 * Task}, and each line of standard output its {@linkcode CallResult}s.
 */

import { TextLineStream } from "./text_lines.ts";
import type {
  Change,
  Definition,
  Filter,
  Id,
  ListQuery,
  Records,
  Space,
  Stored,
  StoredRecord,
  WriteOptions,
} from "@/lib/store/port.ts";
import { openStore } from "./open_store.ts";

export type Call =
  | { readonly insert: StoredRecord }
  | { readonly get: Id }
  | { readonly count: Filter }
  | { readonly list: ListQuery }
  | { readonly update: Filter; readonly change: Change }
  | { readonly delete: Filter };

export interface Task {
  readonly space: Space;
  readonly definition: Definition;
  readonly writing?: WriteOptions;
  readonly calls: readonly Call[];
  /**
   * How the calls run. `transaction` answers after the calls, keeps the transaction open until the
   * next line of input, and answers again when it has ended.
   */
  readonly how: "one by one" | "together" | "transaction";
}

export type CallResult =
  | { readonly json: string; readonly revision: number }
  | { readonly items: string; readonly total: number | null }
  | { readonly refused: string }
  | number
  | null;

async function resultOfCall(records: Records, call: Call): Promise<CallResult> {
  try {
    if ("insert" in call) return plain(await records.insert(call.insert));
    if ("get" in call) return plain(await records.get(call.get));
    if ("count" in call) return await records.count(call.count);
    if ("list" in call) {
      const { items, total } = await records.list(call.list);
      return { items, total };
    }
    if ("update" in call) return plain(await records.updateOne(call.update, call.change));
    return plain(await records.deleteOne(call.delete));
  } catch (error) {
    return { refused: error instanceof Error ? error.name : String(error) };
  }
}

const plain = (stored: Stored | null): CallResult =>
  stored === null ? null : { json: stored.json, revision: stored.revision };

async function runInSequence(records: Records, calls: readonly Call[]): Promise<CallResult[]> {
  const outcomes: CallResult[] = [];
  for (const call of calls) outcomes.push(await resultOfCall(records, call));
  return outcomes;
}

async function serve(address: string): Promise<void> {
  await using engine = await openStore(address);
  const lines = Deno.stdin.readable
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream())
    .values();
  console.log(JSON.stringify([]));
  for await (const line of lines) {
    const { space, definition, writing, calls, how } = JSON.parse(line) as Task;
    const records = engine.records(space, definition, writing);
    const run = {
      "one by one": () => runInSequence(records, calls),
      "together": () => Promise.all(calls.map((call) => resultOfCall(records, call))),
      "transaction": () =>
        engine.transaction(space, async (tx) => {
          console.log(JSON.stringify(await runInSequence(tx.records(definition, writing), calls)));
          await lines.next();
          return [];
        }),
    };
    console.log(JSON.stringify(await run[how]()));
  }
}

if (import.meta.main) await serve(Deno.args[0]!);

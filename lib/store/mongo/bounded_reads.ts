import { adviseIndexText } from "../advice.ts";
import { QueryTooSlow } from "../errors.ts";
import type { Definition, ListQuery } from "../port.ts";
import { isTimeLimit } from "./failures.ts";
import { NoReadConnection } from "./read_connection_limiter.ts";
import type { Access } from "./access.ts";

/** Runs a read of many records. Throws `QueryTooSlow` if the server aborts it at the time limit. */
export function withTimeLimit<R>(
  { run }: Pick<Access, "run">,
  { definition, query }: { definition: Definition; query: Pick<ListQuery, "filter" | "sort"> },
  work: () => Promise<R>,
): Promise<R> {
  return run(async () => {
    try {
      return await work();
    } catch (error) {
      if (!isTimeLimit(error) && !(error instanceof NoReadConnection)) throw error;
      throw new QueryTooSlow(adviseIndexText(definition, query), { cause: error });
    }
  });
}

/** Runs a command of a list or a count with a connection. Throws `NoReadConnection`. */
export async function withConnection<R>(
  { db: { databaseName }, readConnections, queryTimeLimitMs }: Pick<
    Access,
    "db" | "readConnections" | "queryTimeLimitMs"
  >,
  command: (maxTimeMS: number) => Promise<R>,
): Promise<R> {
  if (readConnections === null) return await command(queryTimeLimitMs);
  const left = readConnections.acquire(databaseName, queryTimeLimitMs);
  const maxTimeMS = typeof left === "number" ? left : await left;
  try {
    return await command(maxTimeMS);
  } finally {
    readConnections.release(databaseName);
  }
}

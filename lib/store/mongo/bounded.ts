import { advisedText } from "../advice.ts";
import { QueryTooSlow } from "../errors.ts";
import type { Definition, ListQuery } from "../port.ts";
import { isTimeLimit } from "./failures.ts";
import { NoReadConnection } from "./read_connection_limiter.ts";
import type { Access } from "./access.ts";

/** A read of many records, which the server gives up after a time. Throws `QueryTooSlow`. */
export function bounded<R>(
  { run }: Pick<Access, "run">,
  { definition, query }: { definition: Definition; query: Pick<ListQuery, "filter" | "sort"> },
  work: () => Promise<R>,
): Promise<R> {
  return run(async () => {
    try {
      return await work();
    } catch (error) {
      if (!isTimeLimit(error) && !(error instanceof NoReadConnection)) throw error;
      throw new QueryTooSlow(advisedText(definition, query), { cause: error });
    }
  });
}

/**
 * A command of such a read, which holds one connection. Waiting for a place counts towards its
 * time. Throws `NoReadConnection`.
 */
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

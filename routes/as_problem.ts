import { BlobsUnavailable } from "@/lib/files/blobs.ts";
import type { Log } from "@/lib/runtime/log.ts";
import type { RequestState } from "@/lib/http/request.ts";
import { Problem } from "@/lib/problems.ts";
import { QueryTooSlow, StoreMismatch, StoreUnavailable } from "@/lib/store/errors.ts";

/** Returns the problem that a client gets for a thrown value. Logs values that are not problems. */
export function asProblem(error: unknown, state: RequestState, log: Log): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof QueryTooSlow) return queryTooSlow(error);
  const unavailable = error instanceof StoreUnavailable || error instanceof StoreMismatch
    ? "STORE_UNAVAILABLE"
    : error instanceof BlobsUnavailable
    ? "STORAGE_UNAVAILABLE"
    : null;
  log.write("error", unavailable === null ? "A request failed" : "The store is unavailable", {
    requestId: state.id,
    operation: state.operationId,
    error: error instanceof Error ? unavailable ? error.message : error.stack : String(error),
  });
  return new Problem(unavailable ?? "INTERNAL", { cause: error });
}

/** Returns the problem for a query that took too long, with the index that would help. */
export function queryTooSlow({ index, collection }: QueryTooSlow): Problem {
  if (index === null) return new Problem("QUERY_TOO_SLOW");
  const place = JSON.stringify(index) + (collection === null ? "" : ` of "${collection}"`);
  return new Problem("QUERY_TOO_SLOW", {
    message: `The query takes too long: an index on ${place} would help.`,
  });
}

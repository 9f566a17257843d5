import { BlobsUnavailable } from "@/lib/files/blobs.ts";
import type { Log } from "@/lib/runtime/log.ts";
import type { RequestState } from "@/lib/http/request.ts";
import { Problem } from "@/lib/problems.ts";
import { QueryTooSlow, StoreMismatch, StoreUnavailable } from "@/lib/store/errors.ts";

/** What a thrown value means to a client; what is not a refusal is logged. */
export function asProblem(error: unknown, state: RequestState, log: Log): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof QueryTooSlow) return tooSlow(error);
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

/** What a query that took too long is refused with. */
export function tooSlow({ index, collection }: QueryTooSlow): Problem {
  if (index === null) return new Problem("QUERY_TOO_SLOW");
  const place = JSON.stringify(index) + (collection === null ? "" : ` of "${collection}"`);
  return new Problem("QUERY_TOO_SLOW", {
    message: `The query takes too long: an index on ${place} would help.`,
  });
}

import { QUERY_LENGTH_MAX, QUERY_PARAMETERS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";

/** Refuses too many characters or parameters before a query is parsed. Throws `QUERY_TOO_LONG`. */
export function refuseLongQuery(query: string): void {
  if (query.length <= QUERY_PARAMETERS_MAX) return;
  if (query.length > QUERY_LENGTH_MAX || hasManyParameters(query)) {
    throw new Problem("QUERY_TOO_LONG");
  }
}

/** Counts parameters, without empty ones between two separators. */
function hasManyParameters(query: string): boolean {
  let count = 0;
  let start = 0;
  while (start < query.length) {
    const separator = query.indexOf("&", start);
    const end = separator === -1 ? query.length : separator;
    if (end > start && ++count > QUERY_PARAMETERS_MAX) return true;
    start = end + 1;
  }
  return false;
}

import { rejectValue, toJson } from "./json.ts";

/** A query of a list or a document, whose members `client.d.ts` declares. */
// deno-lint-ignore no-explicit-any -- See above.
export type Query = Record<string, any>;

/** The server's names of parameters that are named differently. */
const SERVER_NAMES: Readonly<Record<string, string>> = { includeDeleted: "include_deleted" };

/** Options, left out if `undefined`, `null` or an empty list. Other names are conditions. */
const OPTIONS = new Set(
  ("search includeDeleted fields populate sort limit page cursor total group timeZone count sum " +
    "avg min max upsert permanent").split(" "),
);

/** Writes a query with lists comma-separated and trees as JSON. Throws `INVALID_VALUE`. */
export function queryOf({ signal: _signal, where, ...query }: Query): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const isMissing = value === undefined || value === null;
    if (OPTIONS.has(name)) {
      if (isMissing || (Array.isArray(value) && value.length === 0)) continue;
    } else if (isMissing) rejectValue(name, `is ${value}`);
    const isTree = typeof value === "object" && !Array.isArray(value);
    parameters.set(SERVER_NAMES[name] ?? name, isTree ? toJson(value, name) : String(value));
  }
  if (where !== undefined) {
    parameters.set("where", typeof where === "string" ? where : toJson(where, "where"));
  }
  return parameters;
}

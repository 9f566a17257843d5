import { jsonOf, refuseValue } from "./json.ts";

/** Any query of a list or a document: the types of the client say which. */
// deno-lint-ignore no-explicit-any -- As above.
export type Query = Record<string, any>;

/** Names that the server has otherwise. */
const RENAMED: Readonly<Record<string, string>> = { includeDeleted: "include_deleted" };

/** What is left out where it is `undefined`, `null` or an empty list. Other names are conditions. */
const OPTIONS = new Set(
  ("search includeDeleted fields populate sort limit page cursor total group timeZone count sum " +
    "avg min max upsert permanent").split(" "),
);

/** Lists are comma-separated, and trees are JSON. Throws `INVALID_VALUE`. */
export function queryOf({ signal: _signal, where, ...query }: Query): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const isMissing = value === undefined || value === null;
    if (OPTIONS.has(name)) {
      if (isMissing || (Array.isArray(value) && value.length === 0)) continue;
    } else if (isMissing) refuseValue(name, `is ${value}`);
    const isTree = typeof value === "object" && !Array.isArray(value);
    parameters.set(RENAMED[name] ?? name, isTree ? jsonOf(value, name) : String(value));
  }
  if (where !== undefined) {
    parameters.set("where", typeof where === "string" ? where : jsonOf(where, "where"));
  }
  return parameters;
}

/** Any query of a list or a document: the types of the client say which. */
// deno-lint-ignore no-explicit-any -- As above.
export type Query = Record<string, any>;

/** Names that the server has otherwise. */
const RENAMED: Readonly<Record<string, string>> = { includeDeleted: "include_deleted" };

/** Lists are comma-separated, and trees are JSON. */
export function queryOf({ signal: _signal, ...query }: Query): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    const isTree = typeof value === "object" && !Array.isArray(value);
    parameters.set(RENAMED[name] ?? name, isTree ? JSON.stringify(value) : String(value));
  }
  return parameters;
}

import type { Definition } from "../port.ts";
import { scalarAt } from "../shape.ts";
import { columnsOf } from "./columns.ts";

/**
 * The value of a declared scalar as an SQL expression: its column, or what is read out of the text.
 * An index serves that only where the same literal text stands in both, so the path is never bound.
 */
export function scalarSql(definition: Definition, path: string): string {
  let written = expressions.get(definition);
  if (written === undefined) expressions.set(definition, written = new Map());
  let expression = written.get(path);
  if (expression === undefined) {
    expression = expressionOf(definition, path);
    written.set(path, expression);
  }
  return expression;
}

/** Written once for each path: no more of them are asked for than are declared. */
const expressions = new WeakMap<Definition, Map<string, string>>();

function expressionOf(definition: Definition, path: string): string {
  if (path === "_id") return "id";
  const column = columnsOf(definition).get(path);
  if (column !== undefined) return column.name;
  const value = `json_extract(doc,'$${path.split(".").map((name) => `."${name}"`).join("")}')`;
  return scalarAt(definition, path) === "Number" ? asDouble(value) : value;
}

/** SQLite reads whole numbers as 64-bit integers, of which doubles know not all. */
export const asDouble = (value: string): string => `cast(${value} as real)`;

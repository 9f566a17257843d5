import { Problem } from "../problems.ts";
import type { FieldShape } from "../store/port.ts";
import { type Collection, declaredAt } from "./collection.ts";
import { pathProblem } from "./names.ts";
import { shown } from "../text/input_text.ts";

const refuse = (name: string, why: string) =>
  new Problem("INVALID_QUERY", { message: `${shown(name)} ${why}.` });

/**
 * The declared shape of a path in a query, or null where anything may be stored. Refuses what no
 * document can have, and what a strict collection does not declare.
 */
export function shapeForQuery(
  collection: Collection,
  parameter: string,
  path: string,
): FieldShape | null {
  const problem = pathProblem(path);
  if (problem !== null) throw refuse(parameter, `cannot be a filter: ${problem}`);
  if (/[[\]]/.test(path)) {
    throw refuse(parameter, "cannot be a filter: write field_gt=5, or use where");
  }
  const declared = declaredAt(collection, path);
  if (declared.kind === "declared") return declared.shape;
  if (declared.kind === "undeclared" && collection.definition.strict) {
    throw refuse(parameter, `names ${shown(path)}, which this strict collection does not declare`);
  }
  return null;
}

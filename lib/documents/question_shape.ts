import { keysText } from "../store/advice.ts";
import type { Filter, SortKey } from "../store/port.ts";
import { nearestShape } from "../store/shape.ts";
import type { Collection } from "./collection.ts";

/** The total that a list requests; `only` is a count without documents. */
export type QuestionTotal = "exact" | "estimate" | "none" | "only";

/** A question: a list query without its values. */
export interface QuestionShape {
  /** Unique within this process, also among all versions of definitions. */
  readonly key: string;
  readonly collection: Collection;
  /** JSON text of a {@linkcode Filter} whose operands are all {@linkcode OPERAND}. */
  readonly filter: string;
  readonly sort: string;
  readonly total: QuestionTotal;
}

const OPERAND = '"?"';
/** Replaces undeclared names, because they could contain secrets. */
const UNDECLARED = "*";

/** The order of the conditions does not matter. */
export function questionShape(
  collection: Collection,
  { filter, sort, total }: {
    filter: Filter;
    sort: readonly SortKey[];
    total: QuestionTotal;
  },
): QuestionShape {
  const filterText = filterWithoutValues(collection, filter);
  const sortText = keysText(sort);
  const key = `${collection.version} ${total} ${sortText} ${filterText}`;
  return { key, collection, filter: filterText, sort: sortText, total };
}

/** Writes only known members of each condition, so that no values are written by mistake. */
function filterWithoutValues(collection: Collection, filter: Filter): string {
  switch (filter.op) {
    case "and":
    case "or": {
      const of = filter.of.map((one) => filterWithoutValues(collection, one)).sort();
      return `{"op":"${filter.op}","of":[${of.filter((one, i) => one !== of[i - 1]).join(",")}]}`;
    }
    case "not":
      return `{"op":"not","of":${filterWithoutValues(collection, filter.of)}}`;
    case "search":
      return `{"op":"search","words":[${OPERAND}]}`;
    case "revision":
      return `{"op":"revision","value":${OPERAND}}`;
    case "in":
    case "nin":
      return condition(collection, filter, `"values":[${OPERAND}]`);
    case "regex":
      return condition(collection, filter, `"pattern":${OPERAND}`);
    default:
      return condition(collection, filter, `"value":${OPERAND}`);
  }
}

const condition = (
  collection: Collection,
  { op, path }: { readonly op: string; readonly path: string },
  operand: string,
): string => `{"path":"${declaredPath(collection, path)}","op":"${op}",${operand}}`;

/** Declared names do not need escaping. */
function declaredPath({ records }: Collection, path: string): string {
  if (path === "_id") return path;
  const { path: declared, isComplete } = nearestShape(records.fields, path);
  if (isComplete) return path;
  return declared === "" ? UNDECLARED : `${declared}.${UNDECLARED}`;
}

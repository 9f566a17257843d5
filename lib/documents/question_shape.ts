import { keysText } from "../store/advice.ts";
import type { Filter, SortKey } from "../store/port.ts";
import { nearestShape } from "../store/shape.ts";
import type { Collection } from "./collection.ts";

/** Whether a list counts what matches, or is nothing but that. */
export type QuestionTotal = "exact" | "estimate" | "none" | "only";

/** What a list asks, without a single value: lists that differ in their values alone are one. */
export interface QuestionShape {
  /** Tells it from every other one under every other definition, within this process. */
  readonly key: string;
  readonly collection: Collection;
  /** JSON text of a {@linkcode Filter} whose operands are all {@linkcode OPERAND}. */
  readonly filter: string;
  /** As the parameter `sort` writes it. */
  readonly sort: string;
  readonly total: QuestionTotal;
}

/** Stands in the place of each operand. */
const OPERAND = '"?"';
/** Stands for whatever nobody has declared: such a name may be anything, a secret too. */
const UNDECLARED = "*";

/** In the order of its conditions one question is as good as another. */
export function questionShape(
  collection: Collection,
  { filter, sort, total }: {
    filter: Filter;
    sort: readonly SortKey[];
    total: QuestionTotal;
  },
): QuestionShape {
  const filterText = withoutValues(collection, filter);
  const sortText = keysText(sort);
  const key = `${collection.version} ${total} ${sortText} ${filterText}`;
  return { key, collection, filter: filterText, sort: sortText, total };
}

/** Every kind of condition is named: one that is new cannot let its values through. */
function withoutValues(collection: Collection, filter: Filter): string {
  switch (filter.op) {
    case "and":
    case "or": {
      const of = filter.of.map((one) => withoutValues(collection, one)).sort();
      return `{"op":"${filter.op}","of":[${of.filter((one, i) => one !== of[i - 1]).join(",")}]}`;
    }
    case "not":
      return `{"op":"not","of":${withoutValues(collection, filter.of)}}`;
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

/** As far as it is declared: names that are need no escapes. */
function declaredPath({ records }: Collection, path: string): string {
  if (path === "_id") return path;
  const { path: declared, isWhole } = nearestShape(records.fields, path);
  if (isWhole) return path;
  return declared === "" ? UNDECLARED : `${declared}.${UNDECLARED}`;
}

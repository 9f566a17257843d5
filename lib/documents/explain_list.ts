import { keysText, keyText } from "../store/advice.ts";
import type { Explanation, Filter, Json, SortKey } from "../store/port.ts";

export type ListExplanation = {
  /** All conditions in the syntax of `where`; `{}` if there are none. */
  filter: Json;
  /** Order in the syntax of the parameter `sort`. */
  sort: string;
  /** Fields of the index that is used, descending ones with `-`; null if no index is used. */
  index: string[] | null;
  /** Approximate number of documents that are examined. */
  examined: number;
  /** Fields of an index that would help, in the syntax of `sort`. */
  advice: string | null;
};

export const explanationOf = (
  filter: Filter,
  sort: readonly SortKey[],
  { index, examined, advice }: Explanation,
): ListExplanation => ({
  filter: whereOf(filter),
  sort: keysText(sort),
  index: index?.map(keyText) ?? null,
  examined,
  advice: advice === null ? null : keysText(advice),
});

export function whereOf(filter: Filter): Json {
  switch (filter.op) {
    case "and":
      return filter.of.length === 0 ? {} : { and: filter.of.map(whereOf) };
    case "or":
      return { or: filter.of.map(whereOf) };
    case "not":
      return { not: whereOf(filter.of) };
    case "search":
      return { search: filter.words.join(" ") };
    case "revision":
      return { revision: filter.value };
    case "in":
    case "nin":
      return condition(filter.path, filter.op, [...filter.values]);
    case "regex":
      return condition(filter.path, filter.op, filter.pattern);
    default:
      return condition(filter.path, filter.op, filter.value);
  }
}

const condition = (path: string, operator: string, operand: Json): Json => ({
  [path]: { [operator]: operand },
});

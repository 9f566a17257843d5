import { keysText, keyText } from "../store/advice.ts";
import type { Explanation, Filter, Json, SortKey } from "../store/port.ts";

/** How a list is read, as it is answered. */
export type ListExplanation = {
  /** Everything that is asked of a document, as `where` writes it; `{}` asks nothing. */
  filter: Json;
  /** As the parameter `sort` writes it. */
  sort: string;
  /** Fields of the index that serves it, the descending ones with `-`; null for none. */
  index: string[] | null;
  examined: number;
  /** Fields of the index that would help, as `sort` writes them. */
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

/** The filter as the parameter `where` would have it. */
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

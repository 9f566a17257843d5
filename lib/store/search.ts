import { distinctWords } from "../words.ts";
import type { Definition, Filter, Json, StoredRecord } from "./port.ts";
import { valueAt } from "./shape.ts";

export const searchPathsOf = ({ search = [] }: Definition): readonly string[] => search;

export const wordsOf = (
  definition: Definition,
  record: Readonly<Record<string, Json>>,
): string[] =>
  distinctWords(searchPathsOf(definition).flatMap((path) => textsIn(valueAt(record, path))));

export function textsIn(value: Json | undefined): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** Whether the search fields of two states of a record differ. */
export const mayDifferInWords = (
  definition: Definition,
  before: StoredRecord,
  after: StoredRecord,
): boolean =>
  searchPathsOf(definition).some((path) =>
    JSON.stringify(valueAt(before, path)) !== JSON.stringify(valueAt(after, path))
  );

/** Returns all words that a filter searches for, in any of its parts. */
export function searchedWords(filter: Filter): readonly string[] {
  switch (filter.op) {
    case "search":
      return filter.words;
    case "and":
    case "or":
      return filter.of.flatMap(searchedWords);
    case "not":
      return searchedWords(filter.of);
    default:
      return [];
  }
}

import { distinctWords } from "../words.ts";
import type { Definition, Filter, Json, StoredRecord } from "./port.ts";
import { valueAt } from "./shape.ts";

/** The search fields of a definition; none is the same as nothing. */
export const searchPathsOf = ({ search = [] }: Definition): readonly string[] => search;

/** The words that are kept of a record. */
export const wordsOf = (
  definition: Definition,
  record: Readonly<Record<string, Json>>,
): string[] =>
  distinctWords(searchPathsOf(definition).flatMap((path) => textsIn(valueAt(record, path))));

/** The texts of a search field. */
export function textsIn(value: Json | undefined): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** Whether two states of a record may have different words. */
export const differInWords = (
  definition: Definition,
  before: StoredRecord,
  after: StoredRecord,
): boolean =>
  searchPathsOf(definition).some((path) =>
    JSON.stringify(valueAt(before, path)) !== JSON.stringify(valueAt(after, path))
  );

/** All words that a filter searches for, in whichever of its parts. */
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

import { SEARCH_LENGTH_MAX, SEARCH_WORDS_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import type { Filter } from "../store/port.ts";
import { searchPathsOf } from "../store/search.ts";
import { textProblem } from "../text/input_text.ts";
import { wordsIn } from "../words.ts";
import type { Collection } from "./collection.ts";

/** Whether a collection has a field whose words are searched. */
export const hasSearch = ({ records }: Collection): boolean => searchPathsOf(records).length > 0;

const refuse = (why: string) => new Problem("INVALID_QUERY", { message: `"search" ${why}.` });

/** The condition of the parameter `search`. Throws `SEARCH_NOT_DECLARED` and `INVALID_QUERY`. */
export function searchCondition(collection: Collection, text: string | undefined): Filter[] {
  if (text === undefined) return [];
  if (!hasSearch(collection)) throw new Problem("SEARCH_NOT_DECLARED");
  if (text.length > SEARCH_LENGTH_MAX) {
    throw refuse(`is longer than ${SEARCH_LENGTH_MAX} characters`);
  }
  const problem = textProblem(text);
  if (problem !== null) throw refuse(problem);
  const words = wordsIn(text);
  if (words.length > SEARCH_WORDS_MAX) throw refuse(`has more than ${SEARCH_WORDS_MAX} words`);
  if (words.length === 0) {
    throw refuse("has no word: send a letter or a digit, or leave it out");
  }
  return [{ op: "search", words: [...new Set(words)] }];
}

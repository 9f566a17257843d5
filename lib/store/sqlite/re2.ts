import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";
import { PATTERNS_MAX } from "../../limits.ts";

/**
 * Those of one query: compiling takes up to some milliseconds, and each may gather 8 MiB of states while texts
 * are matched.
 */
const compiled = new LRUCache<string, RE2JS>({ max: PATTERNS_MAX });

/** Throws for a pattern that does not compile. */
function compiledOf(pattern: string): RE2JS {
  let regex = compiled.get(pattern);
  if (regex === undefined) {
    regex = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
    compiled.set(pattern, regex);
  }
  return regex;
}

/**
 * SQL's `re2(pattern, text)`: 1 where the pattern occurs in the text, in any letter case. A pattern
 * that does not compile matches nothing: an exception in here would hang the process for ever.
 *
 * `test` needs no groups, so it goes by states of all instructions together: 5 to 500 times as fast
 * as `matcher`, except for texts made for it, which fall back to one instruction after the other.
 */
export function re2(pattern: unknown, text: unknown): 0 | 1 {
  if (typeof pattern !== "string" || typeof text !== "string") return 0;
  try {
    return compiledOf(pattern).test(text) ? 1 : 0;
  } catch {
    return 0;
  }
}

const LITERAL = /^[^\\.[\](){}*+?^$|]*$/;

/**
 * What it can take at most to look for the pattern in the text: instructions times characters, of
 * which docs/performance.md tells the time.
 */
export function matchCost(pattern: unknown, text: unknown): number {
  if (typeof pattern !== "string" || typeof text !== "string") return 0;
  if (LITERAL.test(pattern)) return text.length;
  try {
    return compiledOf(pattern).programSize() * text.length;
  } catch {
    return 0;
  }
}

/** Gives back what the patterns have gathered. */
export const forgetPatterns = (): void => compiled.clear();

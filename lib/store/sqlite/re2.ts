import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";

/** Compiling costs some 40 µs, matching one or two. */
const compiled = new LRUCache<string, RE2JS>({ max: 500 });

/**
 * SQL's `re2(pattern, text)`: 1 where the pattern occurs in the text, in any letter case. A pattern
 * that does not compile matches nothing: an exception in here would hang the process for ever.
 */
export function re2(pattern: unknown, text: unknown): 0 | 1 {
  if (typeof pattern !== "string" || typeof text !== "string") return 0;
  try {
    let regex = compiled.get(pattern);
    if (regex === undefined) {
      regex = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
      compiled.set(pattern, regex);
    }
    return regex.matcher(text).find() ? 1 : 0;
  } catch {
    return 0;
  }
}

import { conjuncts, fixedBy, isLookedUp } from "../advice.ts";
import type { Definition, Filter } from "../port.ts";
import { searchIn, searchPathsOf } from "../search.ts";
import { literalOf } from "./pattern_sql.ts";
import { longToken, soughtGrams } from "./text_grams.ts";

/** A text that all matches hold in a search field. */
export interface TextLookup {
  readonly path: string;
  /** What the field has in texts that may hold it. */
  readonly grams: readonly string[];
  /** What it has of texts that are looked into themselves. */
  readonly long: string;
}

const known = new WeakMap<Filter, { definition: Definition; lookup: TextLookup | null }>();

/** Null where there is no such text, or records are found in another way that is better. */
export function textLookup(definition: Definition, filter: Filter): TextLookup | null {
  let found = known.get(filter);
  if (found?.definition !== definition) {
    found = { definition, lookup: lookupOf(definition, filter) };
    known.set(filter, found);
  }
  return found.lookup;
}

function lookupOf(definition: Definition, filter: Filter): TextLookup | null {
  const searched = searchPathsOf(definition);
  if (searched.length === 0 || searchIn(filter) !== null) return null;
  const conditions = conjuncts(filter);
  if (conditions.some((one) => fixedBy(one) === "_id") || isLookedUp(definition, filter)) {
    return null;
  }
  for (const condition of conditions) {
    if (condition.op !== "regex") continue;
    const place = searched.indexOf(condition.path);
    const literal = place < 0 ? null : literalOf(condition.pattern);
    const grams = literal === null ? [] : soughtGrams(place, literal.text);
    if (grams.length > 0) return { path: condition.path, grams, long: longToken(place) };
  }
  return null;
}

import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";
import { QueryTooSlow } from "../store/errors.ts";
import type { Definition, Filter, Json, Scalar, StoredRecord } from "../store/port.ts";
import { searchPathsOf, wordsOf } from "../store/search.ts";
import { isObject, isOfType, scalarAt } from "../store/shape.ts";
import { byCodePoints } from "../store/text_order.ts";

/**
 * Applies the rules of `lib/store/port.ts`. Throws `QueryTooSlow` if a pattern may take too long.
 * The record must not be changed afterwards, because its words are cached.
 */
export type Matcher = (record: StoredRecord, revision?: number) => boolean;

export interface MatchLimits {
  /** Maximum product of a pattern's instructions and a text's characters. */
  readonly patternCostMax: number;
}

/** Compiles a filter. Reuse the result, because compiling costs more than a match. */
export function compileMatcher(
  definition: Definition,
  filter: Filter,
  limits: MatchLimits,
): Matcher {
  switch (filter.op) {
    case "and": {
      const parts = filter.of.map((one) => compileMatcher(definition, one, limits));
      return (record, revision) => parts.every((part) => part(record, revision));
    }
    case "or": {
      const parts = filter.of.map((one) => compileMatcher(definition, one, limits));
      return (record, revision) => parts.some((part) => part(record, revision));
    }
    case "not":
      return negate(compileMatcher(definition, filter.of, limits));
    case "ne":
      return negate(compileMatcher(definition, { ...filter, op: "eq" }, limits));
    case "nin":
      return negate(compileMatcher(definition, { ...filter, op: "in" }, limits));
    case "search":
      return searchMatcher(definition, filter.words);
    case "revision":
      return (_, revision) => revision === filter.value;
    case "exists": {
      const read = pathReader(filter.path);
      return (record) => (read(record) !== undefined) === filter.value;
    }
    default:
      // "ne" and "nin" are handled above.
      return leafMatcher({ definition, limits }, filter as PositiveCondition);
  }
}

const negate = (one: Matcher): Matcher => (record, revision) => !one(record, revision);

type Ordering = "gt" | "gte" | "lt" | "lte";
type PositiveCondition =
  | { readonly op: Ordering | "eq"; readonly path: string; readonly value: Scalar }
  | { readonly op: "in"; readonly path: string; readonly values: readonly Scalar[] }
  | { readonly op: "regex"; readonly path: string; readonly pattern: string };

interface MatchContext {
  readonly definition: Definition;
  readonly limits: MatchLimits;
}

function leafMatcher(context: MatchContext, leaf: PositiveCondition): Matcher {
  const read = pathReader(leaf.path);
  const test = elementTest(context, leaf);
  return (record) => {
    const value = read(record) ?? null;
    return Array.isArray(value) ? value.some(test) : test(value);
  };
}

type ValueTest = (value: Json) => boolean;

/** An operand of another type than the declared one matches nothing. */
function elementTest({ definition, limits }: MatchContext, leaf: PositiveCondition): ValueTest {
  const type = scalarAt(definition, leaf.path);
  const fits = (operand: Scalar) => operand === null || type === null || isOfType(type, operand);
  if (leaf.op === "regex") return patternTest(leaf.pattern, limits);
  if (leaf.op === "in") {
    const members = new Set<Json>(leaf.values.filter(fits));
    return (value) => members.has(value);
  }
  const { op, value: operand } = leaf;
  if (!fits(operand)) return () => false;
  if (op === "eq") return (value) => value === operand;
  return operand === null ? () => false : orderTest(op, operand);
}

function orderTest(op: Ordering, operand: Exclude<Scalar, null>): ValueTest {
  const holds = HOLDS[op];
  if (typeof operand === "string") {
    return (value) => typeof value === "string" && holds(byCodePoints(value, operand));
  }
  const bound = Number(operand);
  return (value) => typeof value === typeof operand && holds(compareNumbers(Number(value), bound));
}

const HOLDS: Readonly<Record<Ordering, (sign: number) => boolean>> = {
  gt: (sign) => sign > 0,
  gte: (sign) => sign >= 0,
  lt: (sign) => sign < 0,
  lte: (sign) => sign <= 0,
};

/** Compares numbers without subtraction, which can overflow to infinity. */
const compareNumbers = (a: number, b: number): number => a < b ? -1 : a > b ? 1 : 0;

/** The reader returns undefined if the path leads through a value that is not an object. */
function pathReader(path: string): (record: StoredRecord) => Json | undefined {
  const names = path.split(".");
  return (record) => {
    let value: Json | undefined = record;
    for (const name of names) {
      if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
      value = value[name];
    }
    return value;
  };
}

/** Each cached pattern may use 8 MiB, and compiling it takes up to a few milliseconds. */
const CACHED_PATTERNS_MAX = 16;
const patternCache = new LRUCache<string, RE2JS>({ max: CACHED_PATTERNS_MAX });

/** Matches patterns without operators, which have few states and are fast in any text. */
const LITERAL = /^[^\\.[\](){}*+?^$|]*$/;

function compiledPattern(pattern: string): RE2JS {
  let program = patternCache.get(pattern);
  if (program === undefined) {
    program = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
    patternCache.set(pattern, program);
  }
  return program;
}

function patternTest(pattern: string, { patternCostMax }: MatchLimits): ValueTest {
  const isLiteral = LITERAL.test(pattern);
  return (value) => {
    if (typeof value !== "string") return false;
    const program = compiledPattern(pattern);
    if (!isLiteral && program.programSize() * value.length > patternCostMax) {
      throw new QueryTooSlow(null);
    }
    return program.test(value);
  };
}

function searchMatcher(definition: Definition, words: readonly string[]): Matcher {
  if (searchPathsOf(definition).length === 0 || words.length === 0) return () => false;
  return (record) => {
    const recordWords = cachedWords(definition, record);
    return words.every((prefix) => recordWords.some((word) => word.startsWith(prefix)));
  };
}

/** Words of records, which several filters may search. */
type CachedWords = { readonly definition: Definition; readonly words: readonly string[] };
const wordsCache = new WeakMap<StoredRecord, CachedWords>();

function cachedWords(definition: Definition, record: StoredRecord): readonly string[] {
  let entry = wordsCache.get(record);
  if (entry?.definition !== definition) {
    entry = { definition, words: wordsOf(definition, record) };
    wordsCache.set(record, entry);
  }
  return entry.words;
}

import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";
import { QueryTooSlow } from "../store/errors.ts";
import type { Definition, Filter, Json, Scalar, StoredRecord } from "../store/port.ts";
import { searchPathsOf, wordsOf } from "../store/search.ts";
import { isObject, isOfType, scalarAt } from "../store/shape.ts";
import { byCodePoints } from "../store/text_order.ts";

/**
 * Whether a record in memory matches, by the rules at the top of `lib/store/port.ts`. Throws
 * `QueryTooSlow` where a pattern may take too long in a text of the record. A record that was
 * searched must not be changed afterwards: its words are kept.
 */
export type Matcher = (record: StoredRecord, revision?: number) => boolean;

/** What a match may cost. */
export interface MatchLimits {
  /**
   * Instructions of a pattern times characters of a text. Nothing can end a pattern while it is at
   * work.
   */
  readonly patternCostMax: number;
}

/** To be kept for as long as the filter is asked: compiling costs more than a match. */
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
      return negated(compileMatcher(definition, filter.of, limits));
    case "ne":
      return negated(compileMatcher(definition, { ...filter, op: "eq" }, limits));
    case "nin":
      return negated(compileMatcher(definition, { ...filter, op: "in" }, limits));
    case "search":
      return searchMatcher(definition, filter.words);
    case "revision":
      return (_, revision) => revision === filter.value;
    case "exists": {
      const read = reader(filter.path);
      return (record) => (read(record) !== undefined) === filter.value;
    }
    default:
      return leafMatcher({ definition, limits }, filter as Positive); // Neither "ne" nor "nin" is left.
  }
}

const negated = (one: Matcher): Matcher => (record, revision) => !one(record, revision);

type Ordering = "gt" | "gte" | "lt" | "lte";
type Positive =
  | { readonly op: Ordering | "eq"; readonly path: string; readonly value: Scalar }
  | { readonly op: "in"; readonly path: string; readonly values: readonly Scalar[] }
  | { readonly op: "regex"; readonly path: string; readonly pattern: string };

interface Around {
  readonly definition: Definition;
  readonly limits: MatchLimits;
}

function leafMatcher(around: Around, leaf: Positive): Matcher {
  const read = reader(leaf.path);
  const test = elementTest(around, leaf);
  return (record) => {
    const value = read(record) ?? null;
    return Array.isArray(value) ? value.some(test) : test(value);
  };
}

type Test = (value: Json) => boolean;

/** Operands of another type than the declared one match nothing. */
function elementTest({ definition, limits }: Around, leaf: Positive): Test {
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

function orderTest(op: Ordering, operand: Exclude<Scalar, null>): Test {
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

/** Not the difference: that of two large numbers is infinite. */
const compareNumbers = (a: number, b: number): number => a < b ? -1 : a > b ? 1 : 0;

/** What lies at a path; undefined where it is missing or behind anything but objects. */
function reader(path: string): (record: StoredRecord) => Json | undefined {
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

/** Each may gather 8 MiB of states; compiling another takes up to some milliseconds. */
const PROGRAMS_MAX = 16;
const programs = new LRUCache<string, RE2JS>({ max: PROGRAMS_MAX });

/** What is looked for as it stands has few states: it takes some 10 ns a character in any text. */
const LITERAL = /^[^\\.[\](){}*+?^$|]*$/;

function programOf(pattern: string): RE2JS {
  let program = programs.get(pattern);
  if (program === undefined) {
    program = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
    programs.set(pattern, program);
  }
  return program;
}

function patternTest(pattern: string, { patternCostMax }: MatchLimits): Test {
  const isLiteral = LITERAL.test(pattern);
  return (value) => {
    if (typeof value !== "string") return false;
    const program = programOf(pattern);
    if (!isLiteral && program.programSize() * value.length > patternCostMax) {
      throw new QueryTooSlow(null);
    }
    return program.test(value);
  };
}

function searchMatcher(definition: Definition, words: readonly string[]): Matcher {
  if (searchPathsOf(definition).length === 0 || words.length === 0) return () => false;
  return (record) => {
    const held = keptWords(definition, record);
    return words.every((begun) => held.some((word) => word.startsWith(begun)));
  };
}

/** Of a record that many filters search, found once; dropped with the record. */
const found = new WeakMap<StoredRecord, { definition: Definition; words: readonly string[] }>();

function keptWords(definition: Definition, record: StoredRecord): readonly string[] {
  let kept = found.get(record);
  if (kept?.definition !== definition) {
    kept = { definition, words: wordsOf(definition, record) };
    found.set(record, kept);
  }
  return kept.words;
}

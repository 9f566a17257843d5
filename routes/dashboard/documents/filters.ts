import type { Collection } from "@/lib/documents/collection.ts";
import { type Operator, suffixOf } from "@/lib/documents/operands.ts";
import { splitName } from "@/lib/documents/filter_parameters.ts";
import { isListParameter } from "@/lib/documents/query.ts";
import { Problem } from "@/lib/problems.ts";
import { type FieldType, type Path, pathsOf } from "./paths.ts";

/** A condition of the list as people read it. */
export interface Condition {
  readonly field: string;
  readonly sign: string;
  readonly value: string;
  /** What the filter form has to choose to say it; null where it cannot say it. */
  readonly choice: string | null;
}

const SIGNS: Record<Operator, string> = {
  eq: "=",
  ne: "≠",
  gt: ">",
  gte: "≥",
  lt: "<",
  lte: "≤",
  in: "in",
  nin: "not in",
  exists: "is set:",
  regex: "matches",
  contains: "contains",
  startsWith: "begins with",
};

export function conditionOf(collection: Collection, name: string, value: string): Condition {
  if (name === "where") return { field: "where", sign: "", value, choice: null };
  try {
    const { path, operator } = splitName(collection, name);
    const known = pathsOf(collection).has(path);
    if (operator === "exists" && (value === "true" || value === "false")) {
      const sign = value === "true" ? "is set" : "is not set";
      return { field: path, sign, value: "", choice: known ? `exists ${value}` : null };
    }
    return { field: path, sign: SIGNS[operator], value, choice: known ? operator : null };
  } catch (error) {
    // The list says what is wrong with it; here it only has to be seen, to be taken away.
    if (!(error instanceof Problem)) throw error;
    return { field: name, sign: "=", value, choice: null };
  }
}

/** What may be asked of a field: the form's values with their words. */
export interface Choice {
  readonly value: string;
  readonly words: string;
}

const choice = (value: string, words: string): Choice => ({ value, words });

const SET = [choice("exists true", "is set"), choice("exists false", "is not set")];
const EQUALITY = [choice("eq", "is"), choice("ne", "is not")];
const LISTS = [choice("in", "is one of (a,b)"), choice("nin", "is none of (a,b)")];

const CHOICES: Record<FieldType, readonly Choice[]> = {
  String: [
    ...EQUALITY,
    choice("contains", "contains"),
    choice("startsWith", "begins with"),
    choice("regex", "matches"),
    ...LISTS,
    choice("gt", "is after"),
    choice("lt", "is before"),
    ...SET,
  ],
  Number: [
    ...EQUALITY,
    choice("gt", "is more than"),
    choice("gte", "is at least"),
    choice("lt", "is less than"),
    choice("lte", "is at most"),
    ...LISTS,
    ...SET,
  ],
  Boolean: [...EQUALITY, ...SET],
  Date: [
    choice("gte", "is from"),
    choice("lt", "is before"),
    choice("gt", "is after"),
    choice("lte", "is until"),
    ...EQUALITY,
    ...SET,
  ],
  Object: SET,
  Array: SET,
  Ref: [...EQUALITY, ...LISTS, ...SET],
};

const OF_LISTS: Partial<Record<string, string>> = {
  eq: "has",
  ne: "has not",
  in: "has one of (a,b)",
  nin: "has none of (a,b)",
};

/** What may be asked of what lies at the path. */
export function choicesOf({ type, compared }: Path): readonly Choice[] {
  if (type !== "Array") return CHOICES[type];
  return CHOICES[compared ?? "String"]
    .map(({ value, words }) => choice(value, OF_LISTS[value] ?? words));
}

const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/;

/** A time of a form's field, which is in UTC and does not say so, as the verbs take it. */
export const utcTime = (text: string): string => LOCAL_TIME.test(text) ? `${text}Z` : text;

/** A condition of the filter form as a parameter of the list. */
export function parameterOf(
  collection: Collection,
  { path, compared }: Path,
  { chosen, value: given }: { chosen: string; value: string },
): readonly [string, string] {
  const [operator, fixed] = chosen.split(" ") as [string, string?];
  const value = fixed ?? (compared === "Date" ? utcTime(given) : given);
  const name = operator === "eq" ? path : `${path}_${suffixOf(operator as Operator)}`;
  // A parameter of this name would be another one, or about another field.
  if (isListParameter(collection, name) || (operator !== "eq" && pathsOf(collection).has(name))) {
    return ["where", JSON.stringify({ [path]: { [operator]: typed(operator, compared, value) } })];
  }
  return [name, value];
}

/** As a `where` has it; what is of no such type is left for the list to refuse. */
function typed(operator: string, compared: FieldType | null, text: string): unknown {
  if (operator === "in" || operator === "nin") {
    return text.split(",").map((one) => typed("eq", compared, one));
  }
  if (operator === "exists" || compared === "Boolean") return text === "true";
  const number = Number(text);
  return compared === "Number" && text.trim() !== "" && !Number.isNaN(number) ? number : text;
}

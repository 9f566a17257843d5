import type { Collection } from "@/lib/documents/collection.ts";
import { type Operator, suffixOf } from "@/lib/documents/operands.ts";
import { splitName } from "@/lib/documents/filter_parameters.ts";
import { isListParameter } from "@/lib/documents/query.ts";
import { Problem } from "@/lib/problems.ts";
import { type FieldType, type Path, pathsOf } from "./paths.ts";

/** A condition of the list as people read it. */
export interface Condition {
  readonly field: string;
  readonly words: string;
  readonly value: string;
  /** What the filter form has to choose to say it; null where it cannot say it. */
  readonly choice: string | null;
}

/** Where no type is known that would have words of its own. */
const WORDS: Record<Operator, string> = {
  eq: "is",
  ne: "is not",
  gt: "is more than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
  in: "is one of",
  nin: "is none of",
  exists: "is set:",
  regex: "matches the pattern",
  contains: "contains",
  startsWith: "begins with",
};

export function conditionOf(collection: Collection, name: string, value: string): Condition {
  if (name === "where") return { field: "where", words: "", value, choice: null };
  try {
    const { path, operator } = splitName(collection, name);
    const known = pathsOf(collection).get(path);
    if (operator === "exists" && (value === "true" || value === "false")) {
      const words = value === "true" ? "is set" : "is not set";
      return { field: path, words, value: "", choice: known ? `exists ${value}` : null };
    }
    const own = known && choicesOf(known).find((one) => one.value === operator);
    return {
      field: path,
      words: own?.words ?? WORDS[operator],
      value,
      choice: known ? operator : null,
    };
  } catch (error) {
    // The list says what is wrong with it; here it only has to be seen, to be taken away.
    if (!(error instanceof Problem)) throw error;
    return { field: name, words: WORDS.eq, value, choice: null };
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
const LISTS = [choice("in", "is one of"), choice("nin", "is none of")];

const CHOICES: Record<FieldType, readonly Choice[]> = {
  String: [
    ...EQUALITY,
    choice("contains", "contains"),
    choice("startsWith", "begins with"),
    choice("regex", "matches the pattern"),
    ...LISTS,
    choice("gt", "comes after"),
    choice("lt", "comes before"),
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
    choice("gte", "is at or after"),
    choice("lt", "is before"),
    choice("gt", "is after"),
    choice("lte", "is at or before"),
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
  in: "has one of",
  nin: "has none of",
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

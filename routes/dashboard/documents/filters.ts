import type { Collection } from "@/lib/documents/collection.ts";
import { type Operator, suffixOf } from "@/lib/documents/operands.ts";
import { splitName } from "@/lib/documents/filter_parameters.ts";
import { isListParameter } from "@/lib/documents/query.ts";
import { Problem } from "@/lib/problems.ts";
import { FIELD_TYPES, type FormInput } from "@/lib/store/field_types.ts";
import { texts } from "../texts/mod.ts";
import { type FieldType, inputOf, type Path, pathsOf } from "./paths.ts";

/** A condition of the list as people read it. */
export interface Condition {
  readonly field: string;
  readonly words: string;
  readonly value: string;
  /** What the filter form has to choose to say it; null where it cannot say it. */
  readonly choice: string | null;
}

/** What may be asked of a field, as the form sends it: an operator, `exists` with its operand. */
type Choosable = Exclude<Operator, "exists"> | "exists true" | "exists false";

export function conditionOf(collection: Collection, name: string, value: string): Condition {
  if (name === "where") return { field: "where", words: "", value, choice: null };
  const { filters: t } = texts().documents;
  try {
    const { path, operator } = splitName(collection, name);
    const known = pathsOf(collection).get(path);
    if (operator === "exists" && (value === "true" || value === "false")) {
      const words = value === "true" ? t.set : t.notSet;
      return { field: path, words, value: "", choice: known ? `exists ${value}` : null };
    }
    const own = known && choicesOf(known).find((one) => one.value === operator);
    return {
      field: path,
      words: own?.words ?? t.asked[operator],
      value,
      choice: known ? operator : null,
    };
  } catch (error) {
    // The list says what is wrong with it; here it only has to be seen, to be taken away.
    if (!(error instanceof Problem)) throw error;
    return { field: name, words: t.asked.eq, value, choice: null };
  }
}

const SET = ["exists true", "exists false"] as const;
const EQUALITY = ["eq", "ne"] as const;
const LISTS = ["in", "nin"] as const;

const CHOICES: Record<FormInput, readonly Choosable[]> = {
  text: [...EQUALITY, "contains", "startsWith", "regex", ...LISTS, "gt", "lt", ...SET],
  number: [...EQUALITY, "gt", "gte", "lt", "lte", ...LISTS, ...SET],
  switch: [...EQUALITY, ...SET],
  time: ["gte", "lt", "gt", "lte", ...EQUALITY, ...SET],
  id: [...EQUALITY, ...LISTS, ...SET],
  json: SET,
};

/** What may be asked of a field: the form's values with their words. */
export interface Choice {
  readonly value: string;
  readonly words: string;
}

/** What may be asked of what lies at the path. */
export function choicesOf({ type, compared }: Path): readonly Choice[] {
  const isList = FIELD_TYPES[type].holds === "elements";
  const input = inputOf(compared) ?? "text";
  return CHOICES[input].map((value) => ({ value, words: wordsOf(value, input, isList) }));
}

function wordsOf(choice: Choosable, input: FormInput, isOfList: boolean): string {
  const { filters: t } = texts().documents;
  if (choice === "exists true") return t.set;
  if (choice === "exists false") return t.notSet;
  const own = input === "text" ? t.askedOfTexts : input === "time" ? t.askedOfDates : {};
  return (isOfList ? t.askedOfLists[choice] : undefined) ?? own[choice] ?? t.asked[choice];
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
  const value = fixed ?? (inputOf(compared) === "time" ? utcTime(given) : given);
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
  if (operator === "exists") return text === "true";
  return compared === null ? text : FIELD_TYPES[compared].parse(text) ?? text;
}

import type { Collection } from "@/lib/documents/collection.ts";
import { type Operator, suffixOf } from "@/lib/documents/operands.ts";
import { splitName } from "@/lib/documents/filter_parameters.ts";
import { isListParameter } from "@/lib/documents/query.ts";
import { Problem } from "@/lib/problems.ts";
import { FIELD_TYPES, type FormInput } from "@/lib/store/field_types.ts";
import { texts } from "../texts/mod.ts";
import { type FieldType, inputOf, type Path, pathsOf } from "./paths.ts";

/** A condition of the list in words. */
export interface Condition {
  readonly field: string;
  readonly words: string;
  readonly value: string;
  /** Choice of the filter form that is the condition, or null if the form cannot express it. */
  readonly choice: string | null;
}

/** Value of the filter form's choice: an operator, for `exists` with its operand. */
type FilterChoice = Exclude<Operator, "exists"> | "exists true" | "exists false";

export function toCondition(collection: Collection, name: string, value: string): Condition {
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
    // The list reports the problem. The condition is shown so that it can be removed.
    if (!(error instanceof Problem)) throw error;
    return { field: name, words: t.asked.eq, value, choice: null };
  }
}

const EXISTENCE = ["exists true", "exists false"] as const;
const EQUALITY = ["eq", "ne"] as const;
const LISTS = ["in", "nin"] as const;

const CHOICES: Record<FormInput, readonly FilterChoice[]> = {
  text: [...EQUALITY, "contains", "startsWith", "regex", ...LISTS, "gt", "lt", ...EXISTENCE],
  number: [...EQUALITY, "gt", "gte", "lt", "lte", ...LISTS, ...EXISTENCE],
  switch: [...EQUALITY, ...EXISTENCE],
  time: ["gte", "lt", "gt", "lte", ...EQUALITY, ...EXISTENCE],
  id: [...EQUALITY, ...LISTS, ...EXISTENCE],
  json: EXISTENCE,
};

export interface Choice {
  readonly value: string;
  readonly words: string;
}

export function choicesOf({ type, compared }: Path): readonly Choice[] {
  const isList = FIELD_TYPES[type].holds === "elements";
  const input = inputOf(compared) ?? "text";
  return CHOICES[input].map((value) => ({ value, words: choiceWords(value, input, isList) }));
}

function choiceWords(choice: FilterChoice, input: FormInput, isOfList: boolean): string {
  const { filters: t } = texts().documents;
  if (choice === "exists true") return t.set;
  if (choice === "exists false") return t.notSet;
  const own = input === "text" ? t.askedOfTexts : input === "time" ? t.askedOfDates : {};
  return (isOfList ? t.askedOfLists[choice] : undefined) ?? own[choice] ?? t.asked[choice];
}

const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/;

/** Adds the time zone UTC to a time of a form field. */
export const utcTime = (text: string): string => LOCAL_TIME.test(text) ? `${text}Z` : text;

/** Converts a condition of the filter form into a parameter of the list. */
export function toParameter(
  collection: Collection,
  { path, compared }: Path,
  { chosen, value: given }: { chosen: string; value: string },
): readonly [string, string] {
  const [operator, fixed] = chosen.split(" ") as [string, string?];
  const value = fixed ?? (inputOf(compared) === "time" ? utcTime(given) : given);
  const name = operator === "eq" ? path : `${path}_${suffixOf(operator as Operator)}`;
  // A parameter with this name would have another meaning or concern another field.
  if (isListParameter(collection, name) || (operator !== "eq" && pathsOf(collection).has(name))) {
    return [
      "where",
      JSON.stringify({ [path]: { [operator]: toOperand(operator, compared, value) } }),
    ];
  }
  return [name, value];
}

/** Returns the operand for a `where`. A wrong type stays a string, which the list refuses. */
function toOperand(operator: string, compared: FieldType | null, text: string): unknown {
  if (operator === "in" || operator === "nin") {
    return text.split(",").map((one) => toOperand("eq", compared, one));
  }
  if (operator === "exists") return text === "true";
  return compared === null ? text : FIELD_TYPES[compared].parse(text) ?? text;
}

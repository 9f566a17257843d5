import { IN_VALUES_MAX, LITERAL_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { inexactText, isExactNumeral } from "../store/exact_json.ts";
import { FIELD_TYPES, type FieldType } from "../store/field_types.ts";
import { readValue } from "../store/shape.ts";
import { or } from "../store/filter.ts";
import type { Comparison, FieldShape, Filter, Scalar } from "../store/port.ts";
import { shown, textProblem } from "../text/input_text.ts";
import { patternProblem } from "../text/pattern.ts";

/** Operators of listing queries, as `_gt` in a parameter and `gt` in `where`. */
export const OPERATORS = [
  "eq",
  "ne",
  "gt",
  "gte",
  "lt",
  "lte",
  "in",
  "nin",
  "exists",
  "regex",
] as const;

/** Those that look for a text as it stands, in any letter case. */
const LITERAL_OPERATORS = ["contains", "startsWith"] as const;

/** As `where` has them. */
export const ALL_OPERATORS = [...OPERATORS, ...LITERAL_OPERATORS];

export type Operator = (typeof ALL_OPERATORS)[number];

export const isOperator = (text: string): text is Operator =>
  (ALL_OPERATORS as readonly string[]).includes(text);

/** The operator that a parameter's suffix names; null for none. */
export function suffixOperator(suffix: string): Operator | null {
  if (suffix === "startswith") return "startsWith";
  return suffix !== "startsWith" && isOperator(suffix) ? suffix : null;
}

/** What a parameter ends with for an operator. */
export const suffixOf = (operator: Operator): string => operator.toLowerCase();

/** What parameters may end with, all of them; equality is the name alone. */
export const SUFFIXES: readonly string[] = ALL_OPERATORS.filter((one) => one !== "eq").map(
  suffixOf,
);

/** Where an operand stands, for messages and for its type. */
export interface Operand {
  /** The parameter's name, or `where`. */
  readonly parameter: string;
  readonly path: string;
  /** The declared shape, or null where anything may be stored. */
  readonly shape: FieldShape | null;
}

export const PATTERN_OPERATORS: readonly Operator[] = ["regex", ...LITERAL_OPERATORS];

const refuse = (operand: Operand, why: string) =>
  new Problem("INVALID_QUERY", { message: `${shown(operand.parameter)} ${why}.` });

/** Conditions from the texts of a parameter that may be repeated. Lists are taken together. */
export function conditionsFromTexts(
  operand: Operand,
  operator: Operator,
  texts: readonly string[],
): Filter[] {
  if (operator === "in" || operator === "nin") {
    const values = texts.flatMap((text) => text.split(","));
    checkLength(operand, values);
    const read = values.flatMap((text) => readings(operand, text));
    return [{ op: operator, path: operand.path, values: read }];
  }
  return texts.map((text) => conditionFromText(operand, operator, text));
}

function conditionFromText(
  operand: Operand,
  operator: Exclude<Operator, "in" | "nin">,
  text: string,
): Filter {
  const { path } = operand;
  switch (operator) {
    case "exists": {
      const value = FIELD_TYPES.Boolean.parse(text);
      if (typeof value !== "boolean") throw refuse(operand, "must be true or false");
      return { op: "exists", path, value };
    }
    case "regex":
      return patternCondition(operand, text);
    case "contains":
    case "startsWith":
      return literalCondition(operand, operator, text);
    default: {
      const values = readings(operand, text);
      if (operator === "eq" || operator === "ne") return equality(path, operator, values);
      // Where anything may be stored, "null" is a text that happens to read as null too.
      const present = values.length > 1 ? values.filter((value) => value !== null) : values;
      return or(...present.map((value) => ordering(operand, operator, value)));
    }
  }
}

/** A condition from a typed value of a `where` tree. */
export function conditionFromJson(operand: Operand, operator: Operator, value: unknown): Filter {
  const { path } = operand;
  switch (operator) {
    case "in":
    case "nin":
      if (!Array.isArray(value)) throw refuse(operand, `needs a list for ${operator} on ${path}`);
      checkLength(operand, value);
      return { op: operator, path, values: value.map((one) => typed(operand, one)) };
    case "exists":
      if (typeof value !== "boolean") {
        throw refuse(operand, `needs true or false for exists on ${path}`);
      }
      return { op: "exists", path, value };
    case "regex":
      if (typeof value !== "string") throw refuse(operand, `needs a text for regex on ${path}`);
      return patternCondition(operand, value);
    case "contains":
    case "startsWith":
      if (typeof value !== "string") {
        throw refuse(operand, `needs a text for ${operator} on ${path}`);
      }
      return literalCondition(operand, operator, value);
    case "eq":
    case "ne":
      return { op: operator, path, value: typed(operand, value) };
    default:
      return ordering(operand, operator, typed(operand, value));
  }
}

const equality = (path: string, operator: "eq" | "ne", values: readonly Scalar[]): Filter =>
  values.length === 1
    ? { op: operator, path, value: values[0]! }
    : { op: operator === "eq" ? "in" : "nin", path, values };

function ordering(operand: Operand, op: Exclude<Comparison, "eq" | "ne">, value: Scalar): Filter {
  if (value === null) {
    throw refuse(operand, "cannot order by null: use _exists, or compare a value");
  }
  return { op, path: operand.path, value };
}

function checkLength(operand: Operand, values: readonly unknown[]): void {
  if (values.length > IN_VALUES_MAX) {
    throw refuse(operand, `has more than ${IN_VALUES_MAX} values`);
  }
}

/** A pattern that is nothing but the text. */
function literalCondition(
  operand: Operand,
  operator: (typeof LITERAL_OPERATORS)[number],
  text: string,
): Filter {
  if (text === "" || text.length > LITERAL_LENGTH_MAX) {
    throw refuse(operand, `needs 1 to ${LITERAL_LENGTH_MAX} characters for ${suffixOf(operator)}`);
  }
  const problem = textProblem(text);
  if (problem !== null) throw refuse(operand, problem);
  const type = typeWithoutPatterns(operand);
  if (type !== null) {
    throw refuse(operand, `cannot look for a text: ${operand.path} is declared ${type}`);
  }
  const escaped = text.replaceAll(/[!-\/:-@[-`{-~]/g, "\\$&");
  const pattern = operator === "startsWith" ? `^${escaped}` : escaped;
  return { op: "regex", path: operand.path, pattern };
}

function patternCondition(operand: Operand, pattern: string): Filter {
  const type = typeWithoutPatterns(operand);
  if (type !== null) {
    throw refuse(operand, `cannot match a pattern: ${operand.path} is declared ${type}`);
  }
  const problem = patternProblem(pattern);
  if (problem !== null) throw refuse(operand, `is a pattern that ${problem}`);
  return { op: "regex", path: operand.path, pattern };
}

/** Elements of arrays are compared, not arrays. Null stands for anything. */
export function comparedType(shape: FieldShape | null): FieldType | null {
  if (shape === null || FIELD_TYPES[shape.type].holds !== "elements") return shape?.type ?? null;
  return comparedType(shape.items ?? null);
}

/** The declared type of values that no pattern matches; null where one can. */
function typeWithoutPatterns(operand: Operand): FieldType | null {
  const type = comparedType(operand.shape);
  return type === null || FIELD_TYPES[type].isText ? null : type;
}

/** What a text can mean: one value of the declared type, or each way of reading it. */
function readings(operand: Operand, text: string): Scalar[] {
  const problem = textProblem(text);
  if (problem !== null) throw refuse(operand, problem);
  const type = comparedType(operand.shape);
  if (type === null) return openReadings(text);
  const value = FIELD_TYPES[type].parse(text);
  if (value === null && text !== "null") throw refuse(operand, mismatch(operand.path, type, text));
  return [value];
}

function openReadings(text: string): Scalar[] {
  const other = FIELD_TYPES.Boolean.parse(text) ?? FIELD_TYPES.Number.parse(text);
  return other === null && text !== "null" ? [text] : [text, other];
}

function mismatch(path: string, name: FieldType, value: unknown): string {
  const type = FIELD_TYPES[name];
  const isNumber = type.holds === "value" && type.json === "number";
  return isNumber && typeof value === "string" && !isExactNumeral(value)
    ? `is ${inexactText(value)}`
    : `must be ${type.wantedInFilter}, because ${path} is declared ${name}`;
}

/** A value of a `where` tree, checked against the declared type. */
function typed(operand: Operand, value: unknown): Scalar {
  if (value === null) return null;
  const problem = typeof value === "string" ? textProblem(value) : null;
  if (problem !== null) throw refuse(operand, problem);
  const type = comparedType(operand.shape);
  if (isSingle(value)) {
    const read = type === null ? value : readValue(type, value);
    if (read !== null) return read;
  }
  throw refuse(
    operand,
    type === null
      ? `compares ${operand.path} with something that is no text, number, boolean or null`
      : mismatch(operand.path, type, value),
  );
}

const isSingle = (value: unknown): value is Exclude<Scalar, null> =>
  typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);

import { IN_VALUES_MAX, LITERAL_LENGTH_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { inexactText, isExactNumeral } from "../store/exact_json.ts";
import { FIELD_TYPES, type FieldType } from "../store/field_types.ts";
import { readValue } from "../store/shape.ts";
import { or } from "../store/filter.ts";
import type { Comparison, FieldShape, Filter, Scalar } from "../store/port.ts";
import { quoted, textProblem } from "../text/input_text.ts";
import { patternProblem } from "../text/pattern.ts";

/** Operators of list queries, written `_gt` in a parameter and `gt` in `where`. */
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

/** Operators that search a literal text, ignoring letter case. */
const LITERAL_OPERATORS = ["contains", "startsWith"] as const;

export const ALL_OPERATORS = [...OPERATORS, ...LITERAL_OPERATORS];

export type Operator = (typeof ALL_OPERATORS)[number];

export const isOperator = (text: string): text is Operator =>
  (ALL_OPERATORS as readonly string[]).includes(text);

export function operatorOfSuffix(suffix: string): Operator | null {
  if (suffix === "startswith") return "startsWith";
  return suffix !== "startsWith" && isOperator(suffix) ? suffix : null;
}

export const suffixOf = (operator: Operator): string => operator.toLowerCase();

/** All suffixes of parameters. Equality does not have a suffix. */
export const SUFFIXES: readonly string[] = ALL_OPERATORS.filter((one) => one !== "eq").map(
  suffixOf,
);

/** The left side of a condition. */
export interface Operand {
  /** Name of the parameter, or `where`; for messages. */
  readonly parameter: string;
  readonly path: string;
  /** Declared shape; null if the path may hold values of any type. */
  readonly shape: FieldShape | null;
}

export const PATTERN_OPERATORS: readonly Operator[] = ["regex", ...LITERAL_OPERATORS];

const invalid = (operand: Operand, why: string) =>
  new Problem("INVALID_QUERY", { message: `${quoted(operand.parameter)} ${why}.` });

/** Joins the lists of a repeated `in` or `nin`. Throws `INVALID_QUERY`. */
export function conditionsFromTexts(
  operand: Operand,
  operator: Operator,
  texts: readonly string[],
): Filter[] {
  if (operator === "in" || operator === "nin") {
    const terms = texts.flatMap((text) => text.split(","));
    checkLength(operand, terms);
    const values = terms.flatMap((text) => possibleValues(operand, text));
    return [{ op: operator, path: operand.path, values }];
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
      if (typeof value !== "boolean") throw invalid(operand, "must be true or false");
      return { op: "exists", path, value };
    }
    case "regex":
      return patternCondition(operand, text);
    case "contains":
    case "startsWith":
      return literalCondition(operand, operator, text);
    default: {
      const values = possibleValues(operand, text);
      if (operator === "eq" || operator === "ne") return equality(path, operator, values);
      // At an undeclared path "null" may be a text or null, and null cannot be ordered.
      const present = values.length > 1 ? values.filter((value) => value !== null) : values;
      return or(...present.map((value) => ordering(operand, operator, value)));
    }
  }
}

/** Throws `INVALID_QUERY`. */
export function conditionFromJson(operand: Operand, operator: Operator, value: unknown): Filter {
  const { path } = operand;
  switch (operator) {
    case "in":
    case "nin":
      if (!Array.isArray(value)) throw invalid(operand, `needs a list for ${operator} on ${path}`);
      checkLength(operand, value);
      return { op: operator, path, values: value.map((one) => readTypedValue(operand, one)) };
    case "exists":
      if (typeof value !== "boolean") {
        throw invalid(operand, `needs true or false for exists on ${path}`);
      }
      return { op: "exists", path, value };
    case "regex":
      if (typeof value !== "string") {
        throw invalid(operand, `needs a text for regex on ${path}`);
      }
      return patternCondition(operand, value);
    case "contains":
    case "startsWith":
      if (typeof value !== "string") {
        throw invalid(operand, `needs a text for ${operator} on ${path}`);
      }
      return literalCondition(operand, operator, value);
    case "eq":
    case "ne":
      return { op: operator, path, value: readTypedValue(operand, value) };
    default:
      return ordering(operand, operator, readTypedValue(operand, value));
  }
}

const equality = (path: string, operator: "eq" | "ne", values: readonly Scalar[]): Filter =>
  values.length === 1
    ? { op: operator, path, value: values[0]! }
    : { op: operator === "eq" ? "in" : "nin", path, values };

function ordering(operand: Operand, op: Exclude<Comparison, "eq" | "ne">, value: Scalar): Filter {
  if (value === null) {
    throw invalid(operand, "cannot order by null: use _exists, or compare a value");
  }
  return { op, path: operand.path, value };
}

function checkLength(operand: Operand, values: readonly unknown[]): void {
  if (values.length > IN_VALUES_MAX) {
    throw invalid(operand, `has more than ${IN_VALUES_MAX} values`);
  }
}

function literalCondition(
  operand: Operand,
  operator: (typeof LITERAL_OPERATORS)[number],
  text: string,
): Filter {
  if (text === "" || text.length > LITERAL_LENGTH_MAX) {
    throw invalid(operand, `needs 1 to ${LITERAL_LENGTH_MAX} characters for ${suffixOf(operator)}`);
  }
  const problem = textProblem(text);
  if (problem !== null) throw invalid(operand, problem);
  const type = typeWithoutPatterns(operand);
  if (type !== null) {
    throw invalid(operand, `cannot search a text: ${operand.path} is declared ${type}`);
  }
  const escaped = text.replaceAll(/[!-\/:-@[-`{-~]/g, "\\$&");
  const pattern = operator === "startsWith" ? `^${escaped}` : escaped;
  return { op: "regex", path: operand.path, pattern };
}

function patternCondition(operand: Operand, pattern: string): Filter {
  const type = typeWithoutPatterns(operand);
  if (type !== null) {
    throw invalid(operand, `cannot match a pattern: ${operand.path} is declared ${type}`);
  }
  const problem = patternProblem(pattern);
  if (problem !== null) throw invalid(operand, `is a pattern that ${problem}`);
  return { op: "regex", path: operand.path, pattern };
}

/** Returns the type of the values or, in an array, of its elements. Null means any type. */
export function comparedType(shape: FieldShape | null): FieldType | null {
  if (shape === null || FIELD_TYPES[shape.type].holds !== "elements") return shape?.type ?? null;
  return comparedType(shape.items ?? null);
}

/** Returns null if the values can match a pattern. */
function typeWithoutPatterns(operand: Operand): FieldType | null {
  const type = comparedType(operand.shape);
  return type === null || FIELD_TYPES[type].isText ? null : type;
}

/** Returns all values that a text may mean at an undeclared path, otherwise one value. */
function possibleValues(operand: Operand, text: string): Scalar[] {
  const problem = textProblem(text);
  if (problem !== null) throw invalid(operand, problem);
  const type = comparedType(operand.shape);
  if (type === null) return possibleUndeclaredValues(text);
  const value = FIELD_TYPES[type].parse(text);
  if (value === null && text !== "null") throw invalid(operand, mismatch(operand.path, type, text));
  return [value];
}

function possibleUndeclaredValues(text: string): Scalar[] {
  const other = FIELD_TYPES.Boolean.parse(text) ?? FIELD_TYPES.Number.parse(text);
  return other === null && text !== "null" ? [text] : [text, other];
}

function mismatch(path: string, name: FieldType, value: unknown): string {
  const type = FIELD_TYPES[name];
  const isNumber = type.holds === "value" && type.json === "number";
  return isNumber && typeof value === "string" && !isExactNumeral(value)
    ? `is ${inexactText(value)}`
    : `must be ${type.filterRequirement}, because ${path} is declared ${name}`;
}

/** Throws `INVALID_QUERY`. */
function readTypedValue(operand: Operand, value: unknown): Scalar {
  if (value === null) return null;
  const problem = typeof value === "string" ? textProblem(value) : null;
  if (problem !== null) throw invalid(operand, problem);
  const type = comparedType(operand.shape);
  if (isSingleValue(value)) {
    const read = type === null ? value : readValue(type, value);
    if (read !== null) return read;
  }
  throw invalid(
    operand,
    type === null
      ? `compares ${operand.path} with something that is not a text, number, boolean or null`
      : mismatch(operand.path, type, value),
  );
}

const isSingleValue = (value: unknown): value is Exclude<Scalar, null> =>
  typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);

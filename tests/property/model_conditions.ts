import type { Operand, OPERATORS } from "./model_operands.ts";
import { compare, type Json, type Scalar } from "./model_values.ts";

export type Operator = "eq" | (typeof OPERATORS)[number];

/** Returns whether a field's value meets a condition; `undefined` is a missing field. */
export function meets(value: Json | undefined, operator: Operator, operand: Operand): boolean {
  switch (operator) {
    case "exists":
      return (value !== undefined) === operand[0];
    case "ne":
      return !meets(value, "eq", operand);
    case "nin":
      return !meets(value, "in", operand);
    case "eq":
    case "in":
      return someValue(value, operand, (one, wanted) => one === wanted);
    case "regex":
      return someValue(value, operand, matches);
    default:
      return someValue(value, operand, (one, bound) => isOrdered(one, operator, bound));
  }
}

/** Checks a field's values: missing equals null, and an array has those of its elements. */
function someValue(
  value: Json | undefined,
  operand: Operand,
  test: (one: Json, wanted: Scalar) => boolean,
): boolean {
  const values = Array.isArray(value) ? value : [value ?? null];
  return values.some((one: Json) => operand.some((wanted) => test(one, wanted)));
}

/** Compares by order, which only values of the operand's type have: true is never 1. */
function isOrdered(value: Json, operator: Operator, bound: Scalar): boolean {
  if (value === null || bound === null || typeof value !== typeof bound) return false;
  const order = compare(value, bound);
  switch (operator) {
    case "gt":
      return order > 0;
    case "gte":
      return order >= 0;
    case "lt":
      return order < 0;
    default:
      return order <= 0;
  }
}

/** Matches patterns that mean the same in RE2 and JavaScript. */
const matches = (value: Json, pattern: Scalar): boolean =>
  typeof value === "string" && new RegExp(String(pattern), "iu").test(value);

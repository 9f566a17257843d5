/** Which values meet a condition. */
import type { Operand, OPERATORS } from "./model_operands.ts";
import { compare, type Json, type Scalar } from "./model_values.ts";

export type Operator = "eq" | (typeof OPERATORS)[number];

/** Whether a field's value, `undefined` if it is missing, meets a condition. */
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
      return some(value, operand, (one, wanted) => one === wanted);
    case "regex":
      return some(value, operand, matches);
    default:
      return some(value, operand, (one, bound) => isOrdered(one, operator, bound));
  }
}

/** A missing field equals null; an array has each of its elements, and an empty one none. */
function some(
  value: Json | undefined,
  operand: Operand,
  test: (one: Json, wanted: Scalar) => boolean,
): boolean {
  const values = Array.isArray(value) ? value : [value ?? null];
  return values.some((one: Json) => operand.some((wanted) => test(one, wanted)));
}

/** Only values of the operand's own type have an order with it: true is never 1. */
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

/** For patterns whose meaning RE2 and JavaScript share. */
const matches = (value: Json, pattern: Scalar): boolean =>
  typeof value === "string" && new RegExp(String(pattern), "iu").test(value);

import type { Json } from "@/lib/store/port.ts";
import { isObject } from "@/lib/store/shape.ts";

const WORDS: Readonly<Record<string, string>> = {
  eq: "= ?",
  ne: "≠ ?",
  gt: "> ?",
  gte: "≥ ?",
  lt: "< ?",
  lte: "≤ ?",
  in: "is one of ?",
  nin: "is none of ?",
  regex: "matches ?",
  exists: "is there or not",
};

/**
 * A question's conditions as people read them, of what is written as `where`. That all but every
 * list asks for what is not in the trash goes without saying; what nobody has declared is `*`.
 */
export function conditionsText(where: Json): string {
  if (!isObject(where)) return "";
  const [[name, value] = ["", null]] = Object.entries(where);
  if (Array.isArray(value)) {
    const parts = value.map(conditionsText).filter((text) => text !== "");
    const text = parts.join(` ${name} `);
    return name === "or" && parts.length > 1 ? `(${text})` : text;
  }
  if (!isObject(value)) return "";
  const [[operator, operand] = ["", null]] = Object.entries(value);
  // A field may be called "not": then its operand is no condition.
  if (name === "not" && (isObject(operand) || Array.isArray(operand) && isConditions(operand))) {
    return `not (${conditionsText(value)})`;
  }
  return name === "isDeleted" && operator === "eq" ? "" : `${name} ${WORDS[operator] ?? operator}`;
}

const isConditions = (operands: readonly Json[]): boolean => operands.some(isObject);

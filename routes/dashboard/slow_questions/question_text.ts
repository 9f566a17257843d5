import type { Json } from "@/lib/store/port.ts";
import { isObject } from "@/lib/store/shape.ts";
import { texts } from "../texts/mod.ts";

const SIGNS: Readonly<Record<string, string>> = {
  eq: "= ?",
  ne: "≠ ?",
  gt: "> ?",
  gte: "≥ ?",
  lt: "< ?",
  lte: "≤ ?",
};

/** Returns a `where` in words, without the trash's condition. Undeclared fields are `*`. */
export function conditionsText(where: Json): string {
  if (!isObject(where)) return "";
  const t = texts().slowQuestions.conditions;
  const [[name, value] = ["", null]] = Object.entries(where);
  if (Array.isArray(value)) {
    const parts = value.map(conditionsText).filter((text) => text !== "");
    if (name === "or" && parts.length > 1) return `(${parts.join(` ${t.or} `)})`;
    return parts.join(` ${t.and} `);
  }
  if (!isObject(value)) return "";
  const [[operator, operand] = ["", null]] = Object.entries(value);
  // A field may have the name "not". Its operand is then not a condition.
  if (name === "not" && (isObject(operand) || Array.isArray(operand) && isConditions(operand))) {
    return t.not(conditionsText(value));
  }
  if (name === "isDeleted" && operator === "eq") return "";
  return t.asked[operator]?.(name) ?? `${name} ${SIGNS[operator] ?? operator}`;
}

const isConditions = (operands: readonly Json[]): boolean => operands.some(isObject);

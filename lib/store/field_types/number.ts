import { isExactNumeral, parseEnteredNumber } from "../exact_json.ts";
import { EQUALITY, ORDER, type ScalarFieldType } from "./field_type.ts";

export const NUMBER: ScalarFieldType = {
  holds: "value",
  json: "number",
  sql: "real",
  bson: "number",
  schema: { type: "number", format: "double" },
  example: 3,
  requirement: "a Number",
  filterRequirement: "a number",
  canBeUnique: true,
  operators: [...EQUALITY, ...ORDER],
  changes: {
    operators: ["$inc", "$min", "$max"],
    description: "Adds to the number, or keeps the lesser or the greater one.",
  },
  aggregates: ["sum", "avg", "min", "max"],
  input: "number",
  parse: parseNumber,
  parseInput: parseEnteredNumber,
};

const NUMERAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Parses a JSON number; null for an integer that a double cannot represent. */
function parseNumber(text: string): number | null {
  const number = NUMERAL.test(text) && isExactNumeral(text) ? Number(text) : NaN;
  return Number.isFinite(number) ? number : null;
}

import { enteredNumber, isExactNumeral } from "../exact_json.ts";
import { EQUALITY, ORDER, type ScalarFieldType } from "./field_type.ts";

export const NUMBER: ScalarFieldType = {
  holds: "value",
  json: "number",
  sql: "real",
  bson: "number",
  schema: { type: "number", format: "double" },
  example: 3,
  wanted: "a Number",
  wantedInFilter: "a number",
  canBeUnique: true,
  operators: [...EQUALITY, ...ORDER],
  changes: {
    operators: ["$inc", "$min", "$max"],
    description: "Adds to the number, or keeps the lesser or the greater one.",
  },
  aggregates: ["sum", "avg", "min", "max"],
  input: "number",
  parse: parseNumber,
  enter: enteredNumber,
};

const NUMERAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Returns null also for an integer that a double cannot hold: no stored number is equal to it. */
function parseNumber(text: string): number | null {
  const number = NUMERAL.test(text) && isExactNumeral(text) ? Number(text) : NaN;
  return Number.isFinite(number) ? number : null;
}

import { EQUALITY, type ScalarFieldType } from "./field_type.ts";

export const BOOLEAN: ScalarFieldType = {
  holds: "value",
  json: "boolean",
  sql: "integer",
  bson: "bool",
  schema: { type: "boolean" },
  example: true,
  requirement: "true or false",
  filterRequirement: "true or false",
  canBeUnique: false,
  operators: EQUALITY,
  aggregates: [],
  input: "switch",
  parse: parseBoolean,
  parseInput: (text) => parseBoolean(text.trim()) ?? text,
};

/** Accepts any letter case: some languages write `True`. */
function parseBoolean(text: string): boolean | null {
  const lower = text.toLowerCase();
  return lower === "true" ? true : lower === "false" ? false : null;
}

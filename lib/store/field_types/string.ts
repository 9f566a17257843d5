import { EQUALITY, ORDER, PATTERNS, type ScalarFieldType } from "./field_type.ts";

export const STRING: ScalarFieldType = {
  holds: "value",
  json: "string",
  sql: "text",
  bson: "string",
  schema: { type: "string" },
  example: "text",
  requirement: "a String",
  filterRequirement: "a text",
  detail: "enum",
  isText: true,
  canBeUnique: true,
  operators: [...EQUALITY, ...ORDER, ...PATTERNS],
  aggregates: [],
  input: "text",
  parse: (text) => text,
  parseInput: (text) => text,
};

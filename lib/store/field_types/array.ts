import { parseExactJson } from "../json_text.ts";
import type { CompositeFieldType } from "./field_type.ts";

export const ARRAY: CompositeFieldType = {
  holds: "elements",
  example: [],
  requirement: "an Array",
  filterRequirement: "a single value",
  detail: "items",
  changes: {
    operators: ["$push", "$addToSet", "$pull"],
    description: "Adds elements to the list, or takes them out.",
  },
  input: "json",
  parseInput: parseExactJson,
  parse: () => null,
};

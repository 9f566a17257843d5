import { parseExactJson } from "../json_text.ts";
import type { CompositeFieldType } from "./field_type.ts";

export const ARRAY: CompositeFieldType = {
  holds: "elements",
  example: [],
  wanted: "an Array",
  wantedInFilter: "a single value",
  detail: "items",
  changes: {
    operators: ["$push", "$addToSet", "$pull"],
    description: "Adds elements to the list, or takes them out.",
  },
  input: "json",
  enter: parseExactJson,
  parse: () => null,
};

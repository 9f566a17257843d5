import { parseExactJson } from "../json_text.ts";
import type { CompositeFieldType } from "./field_type.ts";

export const OBJECT: CompositeFieldType = {
  holds: "members",
  example: {},
  requirement: "an Object",
  filterRequirement: "a path into the object, such as field.member",
  detail: "fields",
  input: "json",
  parseInput: parseExactJson,
  parse: () => null,
};

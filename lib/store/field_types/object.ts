import { parseExactJson } from "../json_text.ts";
import type { CompositeFieldType } from "./field_type.ts";

export const OBJECT: CompositeFieldType = {
  holds: "members",
  example: {},
  wanted: "an Object",
  wantedInFilter: "a path into the object, such as field.member",
  detail: "fields",
  input: "json",
  enter: parseExactJson,
  parse: () => null,
};

import { ID, parseId } from "../../ids.ts";
import { EQUALITY, type ScalarFieldType } from "./field_type.ts";

export const REF: ScalarFieldType = {
  holds: "value",
  json: "string",
  sql: "text",
  bson: "string",
  schema: { type: "string", pattern: ID.source },
  example: "66f1a0c2e4b0a1b2c3d4e5f7",
  requirement: "an id of 24 hexadecimal digits",
  filterRequirement: "an id of 24 hexadecimal digits",
  detail: "ref",
  canBeUnique: true,
  operators: EQUALITY,
  aggregates: [],
  input: "id",
  parse: parseId,
  parseInput: (text) => text.trim(),
};

import { parseDate } from "../../dates.ts";
import { EQUALITY, ORDER, type ScalarFieldType } from "./field_type.ts";

export const DATE: ScalarFieldType = {
  holds: "value",
  json: "string",
  sql: "text",
  bson: "date",
  schema: { type: "string", format: "date-time" },
  example: "2026-01-31T12:00:00.000Z",
  requirement: 'an ISO 8601 date with a zone, such as "2026-01-31T12:00:00Z"',
  filterRequirement: "an ISO 8601 date with a zone",
  canBeUnique: true,
  operators: [...EQUALITY, ...ORDER],
  changes: {
    operators: ["$min", "$max", "$now"],
    description: "Keeps the earlier or the later time, or sets the server's.",
  },
  aggregates: ["min", "max", "bucket"],
  input: "time",
  parse: parseDate,
  parseInput: (text) => text.trim(),
};

import type { IndexDefinition } from "@/lib/documents/fields.ts";

const UNIQUE = /^unique\s+/i;

/** Indexes as lines that can be edited. */
export const indexLines = (indexes: readonly IndexDefinition[]): string =>
  indexes.map(({ fields, unique }) => `${unique ? "unique " : ""}${fields.join(", ")}`).join("\n");

/** What was typed, as a definition takes it; what is wrong with it the definition's rules say. */
export const readIndexLines = (text: string): IndexDefinition[] =>
  text.split("\n").map((line) => line.trim()).filter((line) => line !== "").map((line) => ({
    fields: line.replace(UNIQUE, "").split(",").map((field) => field.trim()),
    unique: UNIQUE.test(line),
  }));

import type { FieldFault } from "@/lib/problems.ts";
import { jsonFault } from "@/lib/store/json_fault.ts";
import { texts } from "./texts/mod.ts";

/** What is told of a text that a person has typed as JSON, and that is none. */
export const notJson = (path: string, text: string): FieldFault => ({
  path,
  message: texts().documents.editor.notJson + whereNotJson(text),
});

/** With a space before it; empty where it is not known. */
export function whereNotJson(text: string): string {
  const fault = jsonFault(text);
  return fault === null ? "" : texts().shared.jsonFault(fault);
}

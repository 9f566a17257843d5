import type { FieldFault } from "@/lib/problems.ts";
import { InexactInteger } from "@/lib/store/exact_json.ts";
import { jsonFault } from "@/lib/store/json_fault.ts";
import { texts } from "./texts/mod.ts";

/** What is told of a text that a person has typed as JSON, and that was refused for this `cause`. */
export const notJson = (path: string, text: string, cause: unknown): FieldFault => ({
  path,
  message: inexact(cause) ?? texts().documents.editor.notJson + whereNotJson(text),
});

/** The same where the text is a document. */
export function notJsonDocument(text: string, cause: unknown): string {
  const { editor: t } = texts().documents;
  const message = inexact(cause);
  return message === null ? t.invalidJson(whereNotJson(text)) : t.inexactJson(message);
}

const inexact = (cause: unknown): string | null =>
  cause instanceof InexactInteger ? texts().documents.editor.inexactInteger(cause.literal) : null;

/** With a space before it; empty where it is not known. */
function whereNotJson(text: string): string {
  const fault = jsonFault(text);
  return fault === null ? "" : texts().shared.jsonFault(fault);
}

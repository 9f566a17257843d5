import type { FieldFault } from "@/lib/problems.ts";
import { InexactInteger } from "@/lib/store/exact_json.ts";
import { jsonFault } from "@/lib/store/json_fault.ts";
import { texts } from "./texts/mod.ts";

/** Returns the fault of a field that is not accepted as JSON. @param cause Error of the parser. */
export const jsonFieldFault = (path: string, text: string, cause: unknown): FieldFault => ({
  path,
  message: inexactIntegerText(cause) ?? texts().documents.editor.notJson + faultPosition(text),
});

export function jsonDocumentFault(text: string, cause: unknown): string {
  const { editor: t } = texts().documents;
  const message = inexactIntegerText(cause);
  return message === null ? t.invalidJson(faultPosition(text)) : t.inexactJson(message);
}

const inexactIntegerText = (cause: unknown): string | null =>
  cause instanceof InexactInteger ? texts().documents.editor.inexactInteger(cause.literal) : null;

/** Returns the position of the fault after a space, or an empty text if it is unknown. */
function faultPosition(text: string): string {
  const fault = jsonFault(text);
  return fault === null ? "" : texts().shared.jsonFault(fault);
}

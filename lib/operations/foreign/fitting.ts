import type { ItemDefinition } from "../../documents/fields.ts";
import { validateValue } from "../../documents/validate.ts";
import type { Json } from "../../store/port.ts";
import type { Notes } from "./notes.ts";

/** Level of a document's own members. */
const DEPTH = 2;

/** A value as it is stored here; null, and told, where it cannot be. @param where `posts.title` */
export function fittingValue(
  field: ItemDefinition | null,
  value: Json,
  { where, notes }: { readonly where: string; readonly notes: Notes },
): Json {
  const { value: stored, faults: [fault] } = validateValue(field, value, {
    strict: false,
    depth: DEPTH,
  });
  if (fault === undefined) return stored;
  notes.count(`${where}: values left out, because one of them ${fault.message}`);
  return null;
}

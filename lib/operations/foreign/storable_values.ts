import type { ItemDefinition } from "../../documents/fields.ts";
import { nameProblem } from "../../documents/names.ts";
import { validateValue } from "../../documents/validate.ts";
import { DOCUMENT_DEPTH_MAX } from "../../limits.ts";
import type { Json } from "../../store/port.ts";
import type { Notes } from "./notes.ts";

/** Number of the level on which the members of a document are. */
const DEPTH = 2;

interface NoteContext {
  /** Path for notes, such as `posts.title`. */
  readonly where: string;
  readonly notes: Notes;
}

/** Renames members with invalid names. A value that cannot be stored becomes null, with a note. */
export function toStorableValue(
  field: ItemDefinition | null,
  value: Json,
  { where, notes }: NoteContext,
): Json {
  const { value: stored, faults: [fault] } = validateValue(
    field,
    withStorableNames(value, { where, notes }),
    { strict: false, depth: DEPTH },
  );
  if (fault === undefined) return stored;
  notes.count(`${where}: values left out, because one of them ${fault.message}`);
  return null;
}

function withStorableNames(value: Json, noted: NoteContext, depth = DEPTH): Json {
  // A value that is nested more deeply is refused anyway.
  if (typeof value !== "object" || value === null || depth > DOCUMENT_DEPTH_MAX) return value;
  if (Array.isArray(value)) return value.map((one) => withStorableNames(one, noted, depth + 1));
  const used = new Set(Object.keys(value));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const own = toStorableName(name, used);
      if (own !== name) noted.notes.addRenamed(noted.where, name, own);
      used.add(own);
      return [own, withStorableNames(one, noted, depth + 1)];
    }),
  );
}

/** @param used Old and new names of the other members. */
export function toStorableName(
  name: string,
  used: ReadonlySet<string>,
  reserved: ReadonlySet<string> = new Set(),
): string {
  const isFine = (text: string) => nameProblem(text) === null && !reserved.has(text);
  if (isFine(name)) return name;
  const plain = name.toWellFormed().replaceAll(/[.$\p{Cc}\p{Cf}]/gu, "_").trim();
  let own = isFine(plain) ? plain : `source_${plain}`;
  while (used.has(own) || reserved.has(own)) own += "_";
  return own;
}

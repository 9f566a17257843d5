import type { ItemDefinition } from "../../documents/fields.ts";
import { nameProblem } from "../../documents/names.ts";
import { validateValue } from "../../documents/validate.ts";
import { DOCUMENT_DEPTH_MAX } from "../../limits.ts";
import type { Json } from "../../store/port.ts";
import type { Notes } from "./notes.ts";

/** Level of a document's own members. */
const DEPTH = 2;

interface Noted {
  /** `posts.title` */
  readonly where: string;
  readonly notes: Notes;
}

/**
 * A value as it is stored here, with other names for members that cannot have theirs. A value that
 * cannot be stored becomes null, and a note says why.
 */
export function fittingValue(
  field: ItemDefinition | null,
  value: Json,
  { where, notes }: Noted,
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

/** Renames members at any depth that a document can have, and notes how they are called now. */
function withStorableNames(value: Json, noted: Noted, depth = DEPTH): Json {
  // A value that is nested deeper is refused unread.
  if (typeof value !== "object" || value === null || depth > DOCUMENT_DEPTH_MAX) return value;
  if (Array.isArray(value)) return value.map((one) => withStorableNames(one, noted, depth + 1));
  const used = new Set(Object.keys(value));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const own = memberName(name, used);
      if (own !== name) noted.notes.renamed(noted.where, name, own);
      used.add(own);
      return [own, withStorableNames(one, noted, depth + 1)];
    }),
  );
}

/**
 * A name that a member can have, and that no other member has.
 *
 * @param used Names of the other members, as they were and as they are now.
 * @param reserved Names that the member cannot keep.
 */
export function memberName(
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

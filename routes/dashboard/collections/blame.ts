import { shown } from "@/lib/documents/names.ts";
import type { Problem } from "@/lib/problems.ts";
import { type DraftField, type DraftItem, NEW_ITEM } from "./draft.ts";
import { type Place, within } from "./draft_form.ts";

/** Where a refusal names a field: of a definition, or one that a stored document does not fit. */
const NAMES = [/^The (?:owner )?field ("(?:[^"\\]|\\.)*")/, /[0-9a-f]{24}: ("(?:[^"\\]|\\.)*") /];
const NAMES_TARGET = /^A Ref names the collection ("(?:[^"\\]|\\.)*")/;

/** The row that a refusal is about; null where it is about none. */
export function blamedPlace({ message }: Problem, fields: readonly DraftField[]): Place | null {
  const rows = [...rowsOf({ ...NEW_ITEM, fields }, "", "")];
  const target = NAMES_TARGET.exec(message)?.[1];
  if (target !== undefined) {
    return rows.find(({ field }) => pointsTo(field, target))?.place ?? null;
  }
  const named = NAMES.map((pattern) => pattern.exec(message)?.[1]).find((one) => one !== undefined);
  if (named === undefined) return null;
  // Of two with one name the later is too many; of elements the row of their array tells.
  const found = rows.findLast(({ path }) => shown(path) === named) ??
    rows.findLast(({ path }) => named.startsWith(`${shown(path).slice(0, -1)}.items`));
  return found?.place ?? null;
}

interface Row {
  /** Names on the way to it, as the rules of definitions put them. */
  readonly path: string;
  readonly place: Place;
  readonly field: DraftField;
}

function* rowsOf({ fields, item }: DraftItem, at: string, place: Place): Generator<Row> {
  for (const [i, field] of fields.entries()) {
    const row = { path: at === "" ? field.key : `${at}.${field.key}`, place: within(place, i) };
    yield { ...row, field };
    yield* rowsOf(field, row.path, row.place);
  }
  if (item !== null) yield* rowsOf(item, `${at}.items`, within(place, "i"));
}

const pointsTo = ({ type, ref, item }: DraftItem, target: string): boolean =>
  (type === "Ref" && shown(ref) === target) || (item !== null && pointsTo(item, target));

import type { Problem } from "@/lib/problems.ts";
import { type DraftField, type DraftItem, NEW_ITEM } from "./draft.ts";
import { type Place, within } from "./draft_form.ts";

/** The row that a refusal is about; null where it is about none. */
export function blamedPlace({ faults }: Problem, fields: readonly DraftField[]): Place | null {
  const rows = [...rowsOf({ ...NEW_ITEM, fields }, "", "")];
  for (const fault of faults) {
    // Of two with one name the later is too many; of elements the row of their array tells.
    const row = rows.findLast(({ path }) => path === fault.path) ??
      rows.findLast(({ path }) => fault.path.startsWith(`${path}.items`));
    if (row !== undefined) return row.place;
  }
  return null;
}

interface Row {
  /** Names on the way to it, as the rules of definitions put them. */
  readonly path: string;
  readonly place: Place;
}

function* rowsOf({ fields, item }: DraftItem, at: string, place: Place): Generator<Row> {
  for (const [i, field] of fields.entries()) {
    const row = { path: at === "" ? field.key : `${at}.${field.key}`, place: within(place, i) };
    yield row;
    yield* rowsOf(field, row.path, row.place);
  }
  if (item !== null) yield* rowsOf(item, `${at}.items`, within(place, "i"));
}

import type { Problem } from "@/lib/problems.ts";
import { type DraftField, type DraftItem, NEW_ITEM } from "./draft.ts";
import { placeIn, type RowPlace } from "./draft_form.ts";

/** Returns the place of the first row with a fault, or null. */
export function faultyRowPlace(
  { faults }: Problem,
  fields: readonly DraftField[],
): RowPlace | null {
  const rows = [...rowsOf({ ...NEW_ITEM, fields }, "", "")];
  for (const fault of faults) {
    // The later one of two equal names is the duplicate. The array's row shows faults of elements.
    const row = rows.findLast(({ path }) => path === fault.path) ??
      rows.findLast(({ path }) => fault.path.startsWith(`${path}.items`));
    if (row !== undefined) return row.place;
  }
  return null;
}

interface Row {
  /** Path of names, as in the faults of definitions. */
  readonly path: string;
  readonly place: RowPlace;
}

function* rowsOf({ fields, item }: DraftItem, at: string, place: RowPlace): Generator<Row> {
  for (const [i, field] of fields.entries()) {
    const row = { path: at === "" ? field.key : `${at}.${field.key}`, place: placeIn(place, i) };
    yield row;
    yield* rowsOf(field, row.path, row.place);
  }
  if (item !== null) yield* rowsOf(item, `${at}.items`, placeIn(place, "i"));
}

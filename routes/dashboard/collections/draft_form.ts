import { DEFINITION_FIELDS_MAX } from "@/lib/limits.ts";
import { Problem } from "@/lib/problems.ts";
import { type DraftField, type DraftItem, NEW_FIELD, NEW_ITEM } from "./draft.ts";

/** Place of a row: indexes, `i` for an array's elements. `2.i.0` is a member in the third field. */
export type RowPlace = string;

export const placeIn = (place: RowPlace, step: number | "i"): RowPlace =>
  place === "" ? String(step) : `${place}.${step}`;

/** A place with at most one level more than a definition may have. */
const PLACE = /^(?:\d{1,4}|i)(?:\.(?:\d{1,4}|i)){0,6}$/;
const VALUE =
  /^((?:\d{1,4}|i)(?:\.(?:\d{1,4}|i)){0,6})\.(key|was|type|ref|enum|default|required|unique|index|search|file|public|bare)$/;

/** Maximum number of rows of a form, twice that of a definition. */
const ROWS_MAX = 2 * DEFINITION_FIELDS_MAX;

interface Row {
  readonly values: Map<string, string>;
  readonly inner: Map<string, Row>;
}

const newRow = (): Row => ({ values: new Map(), inner: new Map() });

/** Reads the rows of a form. Throws `INVALID_BODY` for more than {@linkcode ROWS_MAX} rows. */
export function readDraft(form: URLSearchParams): DraftField[] {
  const top = newRow();
  let rows = 0;
  for (const [name, value] of form) {
    const match = VALUE.exec(name);
    if (match === null) continue;
    let row = top;
    for (const step of match[1]!.split(".")) {
      let next = row.inner.get(step);
      if (next === undefined) {
        if (++rows > ROWS_MAX) throw tooMany();
        row.inner.set(step, next = newRow());
      }
      row = next;
    }
    row.values.set(match[2]!, value);
  }
  return fieldsIn(top);
}

const tooMany = () =>
  new Problem("INVALID_BODY", { message: `A form may have up to ${ROWS_MAX} rows of fields.` });

const fieldsIn = ({ inner }: Row): DraftField[] =>
  [...inner].filter(([step]) => step !== "i")
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([, row]) => fieldIn(row));

const fieldIn = (row: Row): DraftField => ({
  ...NEW_FIELD,
  ...itemIn(row),
  key: row.values.get("key") ?? "",
  was: row.values.get("was") ?? "",
  required: row.values.has("required"),
  unique: row.values.has("unique"),
  index: row.values.has("index"),
  search: row.values.has("search"),
  file: row.values.get("file") ?? "",
  public: row.values.has("public"),
  default: row.values.get("default") ?? "",
});

function itemIn(row: Row): DraftItem {
  const item = row.inner.get("i");
  return {
    type: row.values.get("type") ?? "",
    ref: row.values.get("ref") ?? "",
    enum: row.values.get("enum") ?? "",
    item: item === undefined ? null : itemIn(item),
    fields: fieldsIn(row),
    isBare: row.values.has("bare"),
  };
}

export interface DraftChange {
  readonly fields: readonly DraftField[];
  readonly focus: RowPlace;
}

/** Applies a button: `add:<place>` and `remove:<place>`; any other value only moves the focus. */
export function changeDraft(fields: readonly DraftField[], act: string): DraftChange {
  const [, what = "", place = ""] = /^(\w*):?(.*)$/s.exec(act) ?? [];
  if (place !== "" && !PLACE.test(place)) return { fields, focus: "" };
  const steps = place === "" ? [] : place.split(".");
  if (what === "add") {
    let focus = "";
    const added = editList(fields, steps, (list) => {
      focus = placeIn(place, list.length);
      return [...list, NEW_FIELD];
    });
    return { fields: added, focus };
  }
  if (what !== "remove") return { fields, focus: place };
  const index = Number(steps.pop());
  const left = editList(fields, steps, (list) => list.filter((_, i) => i !== index));
  return { fields: left, focus: placeIn(steps.join("."), Math.max(index - 1, 0)) };
}

type Edit = (fields: readonly DraftField[]) => readonly DraftField[];

/** Edits the list to which the steps lead. Unknown steps edit nothing. */
function editList(fields: readonly DraftField[], steps: readonly string[], edit: Edit) {
  if (steps.length === 0) return edit(fields);
  const [step, ...rest] = steps;
  return fields.map((field, i) => String(i) === step ? editItem(field, rest, edit) : field);
}

function editItem<T extends DraftItem>(item: T, steps: readonly string[], edit: Edit): T {
  return steps[0] === "i"
    ? { ...item, item: editItem(item.item ?? NEW_ITEM, steps.slice(1), edit) }
    : { ...item, fields: editList(item.fields, steps, edit) };
}

import { type FieldDefinition, FILE_FATES, type ItemDefinition } from "@/lib/documents/fields.ts";
import { FIELD_TYPE_NAMES, FIELD_TYPES } from "@/lib/store/field_types.ts";
import { Problem } from "@/lib/problems.ts";
import { InexactInteger } from "@/lib/store/exact_json.ts";
import { jsonText, parseExactJson } from "@/lib/store/json_text.ts";
import type { Json } from "@/lib/store/port.ts";
import { own } from "@/lib/store/shape.ts";
import { notJson } from "../not_json.ts";
import { texts } from "../texts/mod.ts";

/** What a field or an element of an array is, as its row in a form has it: typed and not judged. */
export interface DraftItem {
  /** Of an element, empty stands for anything. */
  readonly type: string;
  readonly ref: string;
  /** The values that a String can have, with commas between them; empty for any. */
  readonly enum: string;
  /** What the elements of an Array are. */
  readonly item: DraftItem | null;
  /** The members of an Object. */
  readonly fields: readonly DraftField[];
  /** Whether an Object is declared to have no members, instead of any. */
  readonly isBare: boolean;
}

export interface DraftField extends DraftItem {
  readonly key: string;
  /** What it is called where it is stored; empty where it is new. */
  readonly was: string;
  readonly required: boolean;
  readonly unique: boolean;
  readonly index: boolean;
  readonly search: boolean;
  /** What becomes of the files that it holds; empty where it holds none. */
  readonly file: string;
  /** Only of fields of users. */
  readonly public: boolean;
  /** Empty where there is none; how it is read depends on the type. */
  readonly default: string;
}

export const NEW_ITEM: DraftItem = {
  type: "",
  ref: "",
  enum: "",
  item: null,
  fields: [],
  isBare: false,
};

export const NEW_FIELD: DraftField = {
  ...NEW_ITEM,
  key: "",
  was: "",
  type: FIELD_TYPE_NAMES[0]!,
  required: false,
  unique: false,
  index: false,
  search: false,
  file: "",
  public: false,
  default: "",
};

/** Stored fields as rows; {@linkcode inputOf} makes the same fields of them. */
export const draftOf = (fields: readonly FieldDefinition[]): DraftField[] =>
  fields.map((field) => ({
    ...itemOf(field),
    key: field.key,
    was: field.key,
    required: field.required,
    unique: field.unique,
    index: field.index,
    search: field.search,
    file: field.file ? field.onDelete ?? FILE_FATES[0] : "",
    public: false,
    default: field.default === undefined ? "" : textOf(field.default),
  }));

const itemOf = (
  { type, ref = "", enum: values = [], items, fields }: ItemDefinition,
): DraftItem => ({
  type,
  ref,
  enum: valuesText(values),
  item: items === undefined ? null : itemOf(items),
  fields: draftOf(fields ?? []),
  isBare: fields?.length === 0,
});

/**
 * Rows as a definition's fields; what a row has of another type than its own is left out. Throws
 * `INVALID_DEFINITION` for malformed JSON.
 * @param within What the fields are members of, with a dot at its end.
 */
export const inputOf = (fields: readonly DraftField[], within = ""): object[] =>
  fields.map(({ key, was, required, unique, index, search, file, default: text, ...item }) => {
    const path = within + key;
    return {
      key,
      ...(was !== "" && was !== key && { renamedFrom: was }),
      required,
      unique,
      index,
      search: search && holdsTexts(item),
      ...(file !== "" && holdsTexts(item) && fileInput(file)),
      ...(text !== "" && { default: valueOf(item.type, text, path) }),
      ...itemInput(item, path),
    };
  });

/** Whether its words may be searched, or be paths of files, as far as its own type says so. */
export function holdsTexts({ type }: DraftItem): boolean {
  const declared = own(FIELD_TYPES, type);
  return declared?.isText === true || declared?.holds === "elements";
}

/** The member of a declaration that the type of a row takes besides those of all types. */
export const detailOf = ({ type }: DraftItem) => own(FIELD_TYPES, type)?.detail;

const fileInput = (fate: string): object => ({
  file: true,
  ...(fate !== FILE_FATES[0] && { onDelete: fate }),
});

function itemInput(draft: DraftItem, path: string): object {
  const { type, ref, enum: values, item, fields, isBare } = draft;
  const detail = detailOf(draft);
  return {
    type,
    ...(detail === "ref" && ref !== "" && { ref }),
    ...(detail === "enum" && values.trim() !== "" && { enum: valuesIn(values, path) }),
    ...(detail === "items" && item !== null && item.type !== "" &&
      { items: itemInput(item, `${path}.items`) }),
    ...(detail === "fields" && (isBare || fields.length > 0) &&
      { fields: inputOf(fields, `${path}.`) }),
  };
}

/** Values that a text with commas between them would not give back. */
const UNLIKE_LISTED = /^$|^\[|,|^\s|\s$|\p{Cc}/u;

/** With commas between them, or as JSON where these would not do. */
const valuesText = (values: readonly string[]): string =>
  values.some((value) => UNLIKE_LISTED.test(value)) ? JSON.stringify(values) : values.join(", ");

function valuesIn(text: string, path: string): Json {
  if (text.trimStart().startsWith("[")) return valueOf("Array", text, path);
  return text.split(",").map((value) => value.trim()).filter((value) => value !== "");
}

/** A text that stands for itself in a field of one line. */
const PLAIN = /^[^"\p{Cc}][^\p{Cc}]*$/u;

const textOf = (value: Json): string =>
  typeof value === "string" && PLAIN.test(value) ? value : jsonText(value);

/** What has another type stays as it is, for the definition's own rules to refuse. */
function valueOf(type: string, text: string, path: string): Json {
  const declared = own(FIELD_TYPES, type);
  const isText = declared?.holds === "value" && declared.json === "string";
  if (isText && !text.startsWith('"')) return text;
  try {
    const value = parseExactJson(text);
    return isText && typeof value !== "string" ? text : value;
  } catch (cause) {
    const isStated = declared?.input === "json" || cause instanceof InexactInteger;
    if (!isStated) return text;
    const fault = notJson(path, text, cause);
    const message = texts().documents.editor.fault(path, fault.message);
    throw new Problem("INVALID_DEFINITION", { message, faults: [fault] });
  }
}

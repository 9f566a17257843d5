import { type FieldDefinition, FILE_FATES, type ItemDefinition } from "@/lib/documents/fields.ts";
import { FIELD_TYPE_NAMES, FIELD_TYPES } from "@/lib/store/field_types.ts";
import { Problem } from "@/lib/problems.ts";
import { InexactInteger } from "@/lib/store/exact_json.ts";
import { jsonText, parseExactJson } from "@/lib/store/json_text.ts";
import type { Json } from "@/lib/store/port.ts";
import { ownMember } from "@/lib/store/shape.ts";
import { jsonFieldFault } from "../json_faults.ts";
import { texts } from "../texts/mod.ts";

/** Unvalidated definition of a field or an array's element, as entered in a form's row. */
export interface DraftItem {
  /** Type name; empty for an element of any type. */
  readonly type: string;
  readonly ref: string;
  /** Permitted values of a String, separated by commas; empty for all. */
  readonly enum: string;
  readonly item: DraftItem | null;
  readonly fields: readonly DraftField[];
  /** Whether an Object may not have members; otherwise an Object without fields may have any. */
  readonly isBare: boolean;
}

export interface DraftField extends DraftItem {
  readonly key: string;
  /** Name of the stored field; empty for a new field. */
  readonly was: string;
  readonly required: boolean;
  readonly unique: boolean;
  readonly index: boolean;
  readonly search: boolean;
  /** Treatment of the field's files when a document is deleted; empty for a field without files. */
  readonly file: string;
  /** Whether the field of a user is public. Only for fields of users. */
  readonly public: boolean;
  /** Default value as text, parsed by type; empty for none. */
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

/** Converts stored fields into rows, the inverse of {@linkcode toDefinitionInput}. */
export const toDraft = (fields: readonly FieldDefinition[]): DraftField[] =>
  fields.map((field) => ({
    ...toDraftItem(field),
    key: field.key,
    was: field.key,
    required: field.required,
    unique: field.unique,
    index: field.index,
    search: field.search,
    file: field.file ? field.onDelete ?? FILE_FATES[0] : "",
    public: false,
    default: field.default === undefined ? "" : defaultText(field.default),
  }));

const toDraftItem = (
  { type, ref = "", enum: values = [], items, fields }: ItemDefinition,
): DraftItem => ({
  type,
  ref,
  enum: enumText(values),
  item: items === undefined ? null : toDraftItem(items),
  fields: toDraft(fields ?? []),
  isBare: fields?.length === 0,
});

/** Throws `INVALID_DEFINITION`. @param within Path of the parent, with a dot at its end. */
export const toDefinitionInput = (fields: readonly DraftField[], within = ""): object[] =>
  fields.map(({ key, was, required, unique, index, search, file, default: text, ...item }) => {
    const path = within + key;
    return {
      key,
      ...(was !== "" && was !== key && { renamedFrom: was }),
      required,
      unique,
      index,
      search: search && hasTexts(item),
      ...(file !== "" && hasTexts(item) && fileInput(file)),
      ...(text !== "" && { default: parseValue(item.type, text, path) }),
      ...itemInput(item, path),
    };
  });

/** Whether values of the type may contain texts, so that search and files are possible. */
export function hasTexts({ type }: DraftItem): boolean {
  const declared = ownMember(FIELD_TYPES, type);
  return declared?.isText === true || declared?.holds === "elements";
}

/** Returns the member of a definition that only the row's type has. */
export const detailOf = ({ type }: DraftItem) => ownMember(FIELD_TYPES, type)?.detail;

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
    ...(detail === "enum" && values.trim() !== "" && { enum: parseEnum(values, path) }),
    ...(detail === "items" && item !== null && item.type !== "" &&
      { items: itemInput(item, `${path}.items`) }),
    ...(detail === "fields" && (isBare || fields.length > 0) &&
      { fields: toDefinitionInput(fields, `${path}.`) }),
  };
}

/** Values that a list with commas cannot represent. */
const UNLIKE_LISTED = /^$|^\[|,|^\s|\s$|\p{Cc}/u;

/** Joins values by commas, or as JSON if a value does not permit that. */
const enumText = (values: readonly string[]): string =>
  values.some((value) => UNLIKE_LISTED.test(value)) ? JSON.stringify(values) : values.join(", ");

function parseEnum(text: string, path: string): Json {
  if (text.trimStart().startsWith("[")) return parseValue("Array", text, path);
  return text.split(",").map((value) => value.trim()).filter((value) => value !== "");
}

/** A text that a one-line field can show without JSON syntax. */
const PLAIN_TEXT = /^[^"\p{Cc}][^\p{Cc}]*$/u;

const defaultText = (value: Json): string =>
  typeof value === "string" && PLAIN_TEXT.test(value) ? value : jsonText(value);

/** Parses a value by type. Values of another type are left to the validation of the definition. */
function parseValue(type: string, text: string, path: string): Json {
  const declared = ownMember(FIELD_TYPES, type);
  const isText = declared?.holds === "value" && declared.json === "string";
  if (isText && !text.startsWith('"')) return text;
  try {
    const value = parseExactJson(text);
    return isText && typeof value !== "string" ? text : value;
  } catch (cause) {
    const isStated = declared?.input === "json" || cause instanceof InexactInteger;
    if (!isStated) return text;
    const fault = jsonFieldFault(path, text, cause);
    const message = texts().documents.editor.fault(path, fault.message);
    throw new Problem("INVALID_DEFINITION", { message, faults: [fault] });
  }
}

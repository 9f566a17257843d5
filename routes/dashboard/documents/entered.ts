import type { Members } from "@/lib/documents/document.ts";
import type { FieldDefinition, ItemDefinition } from "@/lib/documents/fields.ts";
import { isServerField } from "@/lib/documents/names.ts";
import { type FieldFault, Problem } from "@/lib/problems.ts";
import { FIELD_TYPES } from "@/lib/store/field_types.ts";
import { jsonText, parseExactJson } from "@/lib/store/json_text.ts";
import type { Json } from "@/lib/store/port.ts";
import { isObject, ownMember } from "@/lib/store/shape.ts";
import { jsonDocumentFault, jsonFieldFault } from "../json_faults.ts";
import { texts } from "../texts/mod.ts";
import { utcTime } from "./filters.ts";

export interface FormEntry {
  readonly key: string;
  /** Declared field, or null for an undeclared member, which is shown as JSON. */
  readonly field: FieldDefinition | null;
  readonly isRequired: boolean;
  readonly text: string;
}

/** Prefix of the names of fields, which keeps them apart from the form's own fields. */
export const FIELD_PREFIX = "f.";

/** Prefix of the names of search fields for references. */
export const FIND_PREFIX = "q.";

/** A collection, or the declared fields of a project's users. */
interface WithFields {
  readonly definition: { readonly fields: readonly FieldDefinition[] };
}

/** Returns the members of a document for a form, the declared ones first. */
export function storedEntries(
  { definition }: WithFields,
  document: { readonly [name: string]: Json },
): FormEntry[] {
  const declared = definition.fields.map((field) => ({
    key: field.key,
    field,
    isRequired: field.required,
    text: storedText(field, ownMember(document, field.key)),
  }));
  const known = new Set(declared.map(({ key }) => key));
  const others = Object.keys(document)
    .filter((key) => !known.has(key) && !isServerField(key))
    .map((key) => ({
      key,
      field: null,
      isRequired: false,
      text: storedText(null, document[key]),
    }));
  return [...declared, ...others];
}

/** Returns the text of a stored value. A missing value and null are an empty text. */
function storedText(field: ItemDefinition | null, value: Json | undefined): string {
  if (value === undefined || (value === null && field !== null)) return "";
  const input = field === null ? "json" : FIELD_TYPES[field.type].input;
  if (input === "json") return jsonText(value, 2);
  if (input === "time" && typeof value === "string") return value.replace(/Z$/, "");
  return typeof value === "string" ? value : jsonText(value);
}

/** Returns the members of a document with the entered texts in place of the stored ones. */
export function enteredEntries(
  collection: WithFields,
  document: { readonly [name: string]: Json },
  form: URLSearchParams,
): FormEntry[] {
  const known = storedEntries(collection, document);
  const typed = enteredTexts(form);
  const keys = new Set(known.map(({ key }) => key));
  const others = [...typed.keys()]
    .filter((key) => !keys.has(key))
    .map((key) => ({ key, field: null, isRequired: false, text: "" }));
  return [...known, ...others]
    .map((entry) => ({ ...entry, text: typed.get(entry.key) ?? entry.text }));
}

/** Returns the entered texts by field. The first text of a field counts. */
function enteredTexts(form: URLSearchParams): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [name, text] of form) {
    const key = name.slice(FIELD_PREFIX.length);
    if (name.startsWith(FIELD_PREFIX) && !texts.has(key)) texts.set(key, text);
  }
  return texts;
}

/** Normalizes line ends, which forms send as CRLF. */
const unifyLineEnds = (text: string): string => text.replaceAll(/\r\n?/g, "\n");

interface EnteredMembers {
  /** Members whose text differs from the stored one. */
  readonly members: Members;
  readonly faults: readonly FieldFault[];
}

/** Parses the changed fields; an emptied field is null. Others stay exactly the same. */
export function readEntries(
  collection: WithFields,
  document: { readonly [name: string]: Json } | null,
  form: URLSearchParams,
): EnteredMembers {
  const members: Members = {};
  const faults: FieldFault[] = [];
  const before = new Map(
    storedEntries(collection, document ?? {}).map(({ key, text }) => [key, unifyLineEnds(text)]),
  );
  for (const { key, field, text } of enteredEntries(collection, document ?? {}, form)) {
    const typed = unifyLineEnds(text);
    if (typed === (before.get(key) ?? "")) continue;
    try {
      members[key] = parseValue(field, typed);
    } catch (cause) {
      faults.push(jsonFieldFault(key, typed, cause));
    }
  }
  return { members, faults };
}

/** Parses a field's text; null if empty. Throws `INVALID_DOCUMENT` for malformed JSON. */
export function enteredValue(field: FieldDefinition, text: string): Json {
  try {
    return parseValue(field, unifyLineEnds(text));
  } catch (cause) {
    throw invalidFields([jsonFieldFault(field.key, text, cause)]);
  }
}

/** Parses by type; a wrong type stays a string. Throws for malformed JSON and inexact integers. */
function parseValue(field: ItemDefinition | null, text: string): Json {
  if (text.trim() === "") return null;
  if (field === null) return parseExactJson(text);
  const type = FIELD_TYPES[field.type];
  return type.parseInput(type.input === "time" ? utcTime(text.trim()) : text);
}

/** Returns the document as indented JSON without the fields that the server sets. */
export function documentJson(document: { readonly [name: string]: Json }): string {
  const own = Object.entries(document).filter(([name]) => !isServerField(name));
  return jsonText(Object.fromEntries(own), 2);
}

/** Parses a JSON object. Throws `INVALID_DOCUMENT` for any other text. */
export function parseDocumentJson(text: string): Members {
  const { editor: t } = texts().documents;
  let value: Json;
  try {
    value = parseExactJson(text);
  } catch (cause) {
    throw new Problem("INVALID_DOCUMENT", { message: jsonDocumentFault(text, cause), cause });
  }
  if (isObject(value)) return value;
  throw new Problem("INVALID_DOCUMENT", { message: t.notObject });
}

export function invalidFields(faults: readonly FieldFault[]): Problem {
  const { fault } = texts().documents.editor;
  const message = faults.map(({ path, message }) => fault(path, message)).join(" ");
  return new Problem("INVALID_DOCUMENT", { message, faults });
}

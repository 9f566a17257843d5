import type { Members } from "@/lib/documents/document.ts";
import type { FieldDefinition, ItemDefinition } from "@/lib/documents/fields.ts";
import { isServerField } from "@/lib/documents/names.ts";
import { type FieldFault, Problem } from "@/lib/problems.ts";
import { FIELD_TYPES } from "@/lib/store/field_types.ts";
import { jsonText, parseExactJson } from "@/lib/store/json_text.ts";
import type { Json } from "@/lib/store/port.ts";
import { isObject, own } from "@/lib/store/shape.ts";
import { notJson, notJsonDocument } from "../not_json.ts";
import { texts } from "../texts/mod.ts";
import { utcTime } from "./filters.ts";

/** A member of a document as a form shows it. */
export interface Entry {
  readonly key: string;
  /** Null for a member that is not declared: it is shown as JSON. */
  readonly field: FieldDefinition | null;
  readonly isRequired: boolean;
  readonly text: string;
}

/** Names of fields stand behind it, so that none is mistaken for the form's own. */
export const FIELD_PREFIX = "f.";

/** Before the names of fields whose values are looked for by words. */
export const FIND_PREFIX = "q.";

/** Whatever declares fields: a collection, and a project for its users. */
interface Declaring {
  readonly definition: { readonly fields: readonly FieldDefinition[] };
}

/** The members of a document, or of one that is still to be made: the declared ones first. */
export function entriesOf(
  { definition }: Declaring,
  document: { readonly [name: string]: Json },
): Entry[] {
  const declared = definition.fields.map((field) => ({
    key: field.key,
    field,
    isRequired: field.required,
    text: enteredText(field, own(document, field.key)),
  }));
  const known = new Set(declared.map(({ key }) => key));
  const others = Object.keys(document)
    .filter((key) => !known.has(key) && !isServerField(key))
    .map((key) => ({
      key,
      field: null,
      isRequired: false,
      text: enteredText(null, document[key]),
    }));
  return [...declared, ...others];
}

/** Nothing and null are both an empty field. */
function enteredText(field: ItemDefinition | null, value: Json | undefined): string {
  if (value === undefined || (value === null && field !== null)) return "";
  const input = field === null ? "json" : FIELD_TYPES[field.type].input;
  if (input === "json") return jsonText(value, 2);
  if (input === "time" && typeof value === "string") return value.replace(/Z$/, "");
  return typeof value === "string" ? value : jsonText(value);
}

/** The same with what was typed in the place of what the document holds. */
export function typedEntries(
  collection: Declaring,
  document: { readonly [name: string]: Json },
  form: URLSearchParams,
): Entry[] {
  const known = entriesOf(collection, document);
  const typed = typedTexts(form);
  const keys = new Set(known.map(({ key }) => key));
  const others = [...typed.keys()]
    .filter((key) => !keys.has(key))
    .map((key) => ({ key, field: null, isRequired: false, text: "" }));
  return [...known, ...others]
    .map((entry) => ({ ...entry, text: typed.get(entry.key) ?? entry.text }));
}

/** By the names of their fields; of several for one the first counts. */
function typedTexts(form: URLSearchParams): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [name, text] of form) {
    const key = name.slice(FIELD_PREFIX.length);
    if (name.startsWith(FIELD_PREFIX) && !texts.has(key)) texts.set(key, text);
  }
  return texts;
}

/** Forms send every line end as two characters. */
const sameLines = (text: string): string => text.replaceAll(/\r\n?/g, "\n");

interface Entered {
  /** What is other than the document's; of a new one, what is filled in. */
  readonly members: Members;
  readonly faults: readonly FieldFault[];
}

/**
 * What was typed into the fields. What is left as it was is not sent, so that it stays exactly what
 * it was; an emptied field is null.
 */
export function readEntries(
  collection: Declaring,
  document: { readonly [name: string]: Json } | null,
  form: URLSearchParams,
): Entered {
  const members: Members = {};
  const faults: FieldFault[] = [];
  const before = new Map(
    entriesOf(collection, document ?? {}).map(({ key, text }) => [key, sameLines(text)]),
  );
  for (const { key, field, text } of typedEntries(collection, document ?? {}, form)) {
    const typed = sameLines(text);
    if (typed === (before.get(key) ?? "")) continue;
    try {
      members[key] = valueOf(field, typed);
    } catch (cause) {
      faults.push(notJson(key, typed, cause));
    }
  }
  return { members, faults };
}

/** What was typed for one field; nothing is null. Throws `INVALID_DOCUMENT` for malformed JSON. */
export function enteredValue(field: FieldDefinition, text: string): Json {
  try {
    return valueOf(field, sameLines(text));
  } catch (cause) {
    throw unreadable([notJson(field.key, text, cause)]);
  }
}

/**
 * What is of no such type stays a text, for the verb to refuse. Throws for malformed JSON, and for
 * an integer that no Number can hold.
 */
function valueOf(field: ItemDefinition | null, text: string): Json {
  if (text.trim() === "") return null;
  if (field === null) return parseExactJson(text);
  const type = FIELD_TYPES[field.type];
  return type.enter(type.input === "time" ? utcTime(text.trim()) : text);
}

/** The document as JSON for people, without what the server sets. */
export function jsonOf(document: { readonly [name: string]: Json }): string {
  const own = Object.entries(document).filter(([name]) => !isServerField(name));
  return jsonText(Object.fromEntries(own), 2);
}

/** Throws `INVALID_DOCUMENT` for what is no JSON object. */
export function readJsonOf(text: string): Members {
  const { editor: t } = texts().documents;
  let value: Json;
  try {
    value = parseExactJson(text);
  } catch (cause) {
    throw new Problem("INVALID_DOCUMENT", { message: notJsonDocument(text, cause), cause });
  }
  if (isObject(value)) return value;
  throw new Problem("INVALID_DOCUMENT", { message: t.notObject });
}

/** A refusal of fields that the form itself could not read. */
export function unreadable(faults: readonly FieldFault[]): Problem {
  const { fault } = texts().documents.editor;
  const message = faults.map(({ path, message }) => fault(path, message)).join(" ");
  return new Problem("INVALID_DOCUMENT", { message, faults });
}

import type { Id, Json } from "@/lib/store/port.ts";
import { filenameIn } from "@/lib/files/paths.ts";
import { escapeHtml } from "@/lib/text/html.ts";
import { whenMarkup } from "../components/when.tsx";
import { countText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";
import { type FieldType, inputOf } from "./paths.ts";

/** Maximum number of characters in a cell, about as many as are visible. */
const CELL_LENGTH_MAX = 80;
const ID_CHARACTERS = 10;
const ID = /^[0-9a-f]{24}$/;

export interface Column {
  readonly path: string;
  /** Type of the field, or null if it is not declared. */
  readonly type: FieldType | null;
  /** Name of the collection to which the ids refer, or null. */
  readonly ref: string | null;
  /** Whether its texts are a few recurring words, shown as badges. */
  readonly isWord: boolean;
}

const EMPTY_CELL = '<span class="nothing">—</span>';

export const isId = (value: Json | undefined): value is Id =>
  typeof value === "string" && ID.test(value);

/** Returns the HTML of a cell as a string, because hundreds of JSX elements are slow. */
export function cellMarkup(value: Json | undefined, column: Omit<Column, "ref">): string {
  if (value === undefined || value === null) return EMPTY_CELL;
  if (typeof value === "number") return numberText(value);
  if (typeof value === "boolean") {
    const { yes, no } = texts().documents;
    return escapeHtml(value ? yes : no);
  }
  if (Array.isArray(value) && value.length > 0 && value.every(isSingle)) {
    return elementsMarkup(value);
  }
  if (typeof value !== "string") return escapeHtml(shorten(shortText(value)));
  if (inputOf(column.type) === "time") return whenMarkup(value);
  if (isId(value)) return `<code title="${value}">${value.slice(0, ID_CHARACTERS)}…</code>`;
  const file = filenameIn(value);
  if (file !== null) {
    return `<span title="${escapeHtml(value)}">${escapeHtml(shorten(file))}</span>`;
  }
  return column.isWord ? badge(value) : escapeHtml(shorten(value));
}

const isSingle = (value: Json): boolean => typeof value !== "object" || value === null;

const badge = (text: string): string => `<span class="badge">${escapeHtml(text)}</span>`;

/** Maximum number of a list's elements in a cell. */
const ELEMENTS_MAX = 4;

/** Returns the HTML of a list of scalar values, with the number of elements that it leaves out. */
function elementsMarkup(values: readonly Json[]): string {
  const shown = values.slice(0, ELEMENTS_MAX).map((one) => badge(shortText(one)));
  const more = values.length - ELEMENTS_MAX;
  if (more > 0) shown.push(`<small>+${countText(more)}</small>`);
  return `<span class="elements">${shown.join("")}</span>`;
}

/** Formats a number with separators if the format is exact. */
const numberText = (value: number): string =>
  Number.isSafeInteger(value) && !Object.is(value, -0) ? countText(value) : String(value);

export const shorten = (text: string): string =>
  text.length <= CELL_LENGTH_MAX ? text : `${text.slice(0, CELL_LENGTH_MAX).toWellFormed()}…`;

/** Returns a short text of a value, also of a list or an object. */
function shortText(value: Json): string {
  if (value === null) return "—";
  if (typeof value === "string") return shorten(filenameIn(value) ?? value);
  if (typeof value !== "object") return shorten(String(value));
  if (Array.isArray(value)) {
    return value.length === 0 ? "—" : joinShort(value, (one) => shortText(one), ", ");
  }
  const entries = Object.entries(value);
  const text = joinShort(entries, ([name, one]) => `${name}: ${shortText(one)}`, ", ");
  return `{ ${text} }`;
}

/** Joins texts up to the length of a cell, because a list may have thousands of elements. */
function joinShort<T>(all: readonly T[], textOf: (one: T) => string, separator: string): string {
  const texts: string[] = [];
  let length = 0;
  for (const one of all) {
    if (length > CELL_LENGTH_MAX) break;
    const text = textOf(one);
    length += text.length;
    texts.push(text);
  }
  return texts.join(separator);
}

/** Returns the accessible name of a row: its first text, or its id. */
export function rowName(
  document: { readonly [name: string]: Json },
  first: Json | undefined,
): string {
  return typeof first === "string" && first !== "" ? shorten(first) : String(document._id);
}

const WORD_LENGTH_MAX = 20;
const WORDS_MAX = 4;
const ROWS_MIN = 8;

/** Whether the texts of a page look like choices, such as a status or a colour. */
export function areWords(values: readonly (Json | undefined)[]): boolean {
  if (values.length < ROWS_MIN) return false;
  const words = new Set<string>();
  for (const value of values) {
    if (value === undefined || value === null) continue;
    if (typeof value !== "string" || value === "" || value.length > WORD_LENGTH_MAX) return false;
    words.add(value);
    if (words.size > WORDS_MAX) return false;
  }
  return words.size > 0;
}

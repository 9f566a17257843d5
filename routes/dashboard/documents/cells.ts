import type { Id, Json } from "@/lib/store/port.ts";
import { nameIn } from "@/lib/files/paths.ts";
import { escapeHtml } from "@/lib/text/html.ts";
import { whenMarkup } from "../components/when.tsx";
import { countText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";
import { type FieldType, inputOf } from "./paths.ts";

/** A cell holds no more characters than can be seen. */
const SHOWN_MAX = 80;
const ID_SHOWN = 10;
const ID = /^[0-9a-f]{24}$/;

export interface Column {
  readonly path: string;
  /** Null for what is not declared. */
  readonly type: FieldType | null;
  /** The collection that its ids lead to; null for none. */
  readonly ref: string | null;
  /** Whether its texts are few words that come again and again. */
  readonly isWord: boolean;
}

const NOTHING = '<span class="nothing">—</span>';

export const isId = (value: Json | undefined): value is Id =>
  typeof value === "string" && ID.test(value);

/**
 * Markup of a value in a cell. It is text and no element: a page has hundreds of cells, which as
 * elements take a quarter of its time.
 */
export function cellMarkup(value: Json | undefined, column: Omit<Column, "ref">): string {
  if (value === undefined || value === null) return NOTHING;
  if (typeof value === "number") return countOf(value);
  if (typeof value === "boolean") {
    const { yes, no } = texts().documents;
    return escapeHtml(value ? yes : no);
  }
  if (Array.isArray(value) && value.length > 0 && value.every(isSingle)) {
    return elementsMarkup(value);
  }
  if (typeof value !== "string") return escapeHtml(cut(shortText(value)));
  if (inputOf(column.type) === "time") return whenMarkup(value);
  if (isId(value)) return `<code title="${value}">${value.slice(0, ID_SHOWN)}…</code>`;
  const file = nameIn(value);
  if (file !== null) return `<span title="${escapeHtml(value)}">${escapeHtml(cut(file))}</span>`;
  return column.isWord ? badge(value) : escapeHtml(cut(value));
}

const isSingle = (value: Json): boolean => typeof value !== "object" || value === null;

const badge = (text: string): string => `<span class="badge">${escapeHtml(text)}</span>`;

/** Elements of a list that are seen at once. */
const ELEMENTS_SHOWN = 4;

/** A list of single values; how many more there are is told behind the first. */
function elementsMarkup(values: readonly Json[]): string {
  const shown = values.slice(0, ELEMENTS_SHOWN).map((one) => badge(shortText(one)));
  const more = values.length - ELEMENTS_SHOWN;
  if (more > 0) shown.push(`<small>+${countText(more)}</small>`);
  return `<span class="elements">${shown.join("")}</span>`;
}

/** With separators as far as they lose nothing. */
const countOf = (value: number): string =>
  Number.isSafeInteger(value) && !Object.is(value, -0) ? countText(value) : String(value);

export const cut = (text: string): string =>
  text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX).toWellFormed()}…`;

/** A list or an object in a few words. */
function shortText(value: Json): string {
  if (value === null) return "—";
  if (typeof value === "string") return cut(nameIn(value) ?? value);
  if (typeof value !== "object") return cut(String(value));
  if (Array.isArray(value)) {
    return value.length === 0 ? "—" : several(value, (one) => shortText(one), ", ");
  }
  const entries = Object.entries(value);
  const text = several(entries, ([name, one]) => `${name}: ${shortText(one)}`, ", ");
  return `{ ${text} }`;
}

/** As many as can be seen: a list may have thousands. */
function several<T>(all: readonly T[], textOf: (one: T) => string, separator: string): string {
  const texts: string[] = [];
  let length = 0;
  for (const one of all) {
    if (length > SHOWN_MAX) break;
    const text = textOf(one);
    length += text.length;
    texts.push(text);
  }
  return texts.join(separator);
}

/** What a row is called where it cannot be seen: its first text, or its id. */
export function rowName(
  document: { readonly [name: string]: Json },
  first: Json | undefined,
): string {
  return typeof first === "string" && first !== "" ? cut(first) : String(document._id);
}

const WORD_LENGTH_MAX = 20;
const WORDS_MAX = 4;
const ROWS_MIN = 8;

/** Whether texts of a page are rather choices than texts: a status, a kind, a colour. */
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

import { Buffer } from "node:buffer";
import { rejectInexactIntegers } from "./exact_json.ts";
import type { Json, StoredRecord } from "./values.ts";

/**
 * Returns JSON text that preserves -0, which `JSON.stringify` would write as 0.
 *
 * @param indent Number of spaces per level, for readability. By default the text has no line
 *   breaks.
 */
export function jsonText(value: Json, indent?: number): string {
  return JSON.stringify(value, hasNegativeZero(value) ? keepSign : undefined, indent);
}

/** Returns a record's JSON text with `_id` first, even before names that are integers. */
export function recordText(record: StoredRecord): string {
  if (firstNameOf(record) === "_id") return jsonText(record);
  const { _id, ...rest } = record;
  const members = jsonText(rest).slice(1, -1);
  return `{"_id":${JSON.stringify(_id)}${members === "" ? "" : `,${members}`}}`;
}

function firstNameOf(record: StoredRecord): string | undefined {
  for (const name in record) return name;
  return undefined;
}

function hasNegativeZero(value: Json): boolean {
  if (typeof value === "number") return Object.is(value, -0);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasNegativeZero);
  // Iterating over names takes half the time of `Object.values`.
  for (const name in value) if (hasNegativeZero(value[name]!)) return true;
  return false;
}

const keepSign = (_name: string, value: unknown) =>
  Object.is(value, -0)
    ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON("-0")
    : value; // TypeScript's library does not declare `rawJSON` yet.

/**
 * Parses JSON and preserves every member name. V8 15.0 may confuse names with escapes: it looks up
 * an object's next name among the names of earlier objects of the same shape and compares raw text,
 * so `"\\""` can be read as another name that contains a backslash. Names with escapes are
 * therefore replaced by placeholders before parsing and restored afterwards.
 */
export function parseJson(text: string): Json {
  if (!text.includes("\\")) return JSON.parse(text);
  const placeholders = new Map<string, string>();
  const plain = text.replace(STRING, (token, colon: string | undefined) => {
    if (colon === undefined || !token.includes("\\")) return token;
    const name = JSON.parse(token.slice(0, -colon.length)) as string;
    const written = JSON.stringify(name);
    if (!written.includes("\\")) return written + colon;
    const placeholder = placeholders.get(name) ?? `${PLACEHOLDER}${placeholders.size}`;
    placeholders.set(name, placeholder);
    return `"${placeholder}"${colon}`;
  });
  const value = JSON.parse(plain) as Json;
  if (placeholders.size > 0) {
    restoreNames(
      value,
      new Map([...placeholders].map(([name, placeholder]) => [placeholder, name])),
    );
  }
  return value;
}

/**
 * Parses JSON from outside. Unlike `JSON.parse`, which would round large integers and could thereby
 * merge two ids, it throws `InexactInteger` for an integer that a double cannot represent. Throws
 * `SyntaxError` for malformed JSON.
 */
export function parseExactJson(text: string): Json {
  const value = parseJson(text);
  rejectInexactIntegers(text);
  return value;
}

/** A string literal, with the colon after a name; or the rest after an unclosed quote. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*(?:"(\s*:)?|\\?$)/gs;

/** Prefix of placeholders. It is random, so a client cannot send it. */
const PLACEHOLDER = crypto.randomUUID();

/** Restores names that {@linkcode parseJson} replaced. Nesting is not limited. */
function restoreNames(root: Json, names: ReadonlyMap<string, string>): void {
  const open: Json[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    const entries = Object.entries(value);
    for (const [, inner] of entries) open.push(inner);
    if (!entries.some(([name]) => names.has(name))) continue;
    for (const [name] of entries) Reflect.deleteProperty(value, name);
    for (const [name, inner] of entries) {
      Object.defineProperty(value, names.get(name) ?? name, {
        value: inner,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
  }
}

/** Returns the size of a text in UTF-8 bytes. */
export const bytesOf = (text: string): number => Buffer.byteLength(text);

/** Whether a text has more than `max` UTF-8 bytes. */
export function exceedsBytes(text: string, max: number): boolean {
  if (text.length > max) return true;
  return text.length * 3 > max && bytesOf(text) > max;
}

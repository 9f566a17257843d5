import { Buffer } from "node:buffer";
import { refuseInexactIntegers } from "./exact_json.ts";
import type { Json, StoredRecord } from "./values.ts";

/**
 * JSON text that reads back to the very same values: `JSON.stringify` writes -0 as 0, this keeps
 * its sign.
 *
 * @param indent Spaces of each level, for people; none, and no line breaks, without it.
 */
export function jsonText(value: Json, indent?: number): string {
  return JSON.stringify(value, hasNegativeZero(value) ? keepSign : undefined, indent);
}

/**
 * A record's text: `_id` comes first, also beside names that are numbers, which JavaScript would
 * put before it.
 */
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
  // In half the time that a list of the values takes.
  for (const name in value) if (hasNegativeZero(value[name]!)) return true;
  return false;
}

const keepSign = (_name: string, value: unknown) =>
  Object.is(value, -0)
    ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON("-0")
    : value; // Not in TypeScript's library yet.

/**
 * `JSON.parse`, with every member name as it was written. V8 15.0 looks an object's next name up
 * among the names that objects of the same shape had before, and compares raw text: once a name
 * held a backslash, another object's `"\\""` is read as that name. So no name with an escape
 * reaches it: such names travel under a mark and are put back afterwards.
 */
export function parseJson(text: string): Json {
  if (!text.includes("\\")) return JSON.parse(text);
  const marks = new Map<string, string>();
  const plain = text.replace(STRING, (token, colon: string | undefined) => {
    if (colon === undefined || !token.includes("\\")) return token;
    const name = JSON.parse(token.slice(0, -colon.length)) as string;
    const written = JSON.stringify(name);
    if (!written.includes("\\")) return written + colon;
    const mark = marks.get(name) ?? `${MARK}${marks.size}`;
    marks.set(name, mark);
    return `"${mark}"${colon}`;
  });
  const value = JSON.parse(plain) as Json;
  if (marks.size > 0) putBack(value, new Map([...marks].map(([name, mark]) => [mark, name])));
  return value;
}

/**
 * Parses JSON that comes from outside. `JSON.parse` alone would round an integer that no double
 * holds, which makes one id of two. Throws `InexactInteger`, and `SyntaxError`.
 */
export function parseExactJson(text: string): Json {
  const value = parseJson(text);
  refuseInexactIntegers(text);
  return value;
}

/**
 * A string, with the colon behind it if it is a name; or the rest of a text that leaves one open,
 * so that no text is scanned twice.
 */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*(?:"(\s*:)?|\\?$)/gs;

/** Nobody can send it, because nobody can know it. */
const MARK = crypto.randomUUID();

/** Without recursion: nesting has no limit here. */
function putBack(root: Json, names: ReadonlyMap<string, string>): void {
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

/** Bytes of the text in UTF-8. */
export const bytesOf = (text: string): number => Buffer.byteLength(text);

/** Whether the text has more bytes than this in UTF-8; counts only where it is in doubt. */
export function exceedsBytes(text: string, max: number): boolean {
  if (text.length > max) return true;
  return text.length * 3 > max && bytesOf(text) > max;
}

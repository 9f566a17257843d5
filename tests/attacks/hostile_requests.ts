/** The dearest requests that fit the limits: the largest ones, of the smallest and longest parts. */

import type { Json } from "@/lib/store/port.ts";
import { isObject } from "@/lib/store/shape.ts";

/** A text with what it is, for messages. */
export interface Hostile {
  readonly what: string;
  readonly text: string;
}

/** As many repetitions as fit. */
const fill = (piece: string, length: number): string =>
  piece.repeat(Math.max(1, Math.floor(length / piece.length)));

/** As many different parts as fit, with a separator between them. */
function filled(part: (i: number) => string, separator: string, length: number): string {
  const parts: string[] = [];
  for (let i = 0, left = length;; i++) {
    const next = part(i);
    left -= next.length + separator.length;
    if (left < 0) return parts.join(separator);
    parts.push(next);
  }
}

/** JSON values of at most so many bytes. */
export const hostileValues = (bytes: number): Hostile[] => [
  { what: "a long text", text: `"${fill("a", bytes - 2)}"` },
  { what: "a text of escapes", text: `"${fill("\\u0041", bytes - 2)}"` },
  { what: "a number of many digits", text: fill("1", bytes) },
  { what: "members", text: `{${filled((i) => `"${i.toString(36)}":0`, ",", bytes - 2)}}` },
  { what: "one member again and again", text: `{${fill('"a":0,', bytes - 8)}"a":0}` },
  {
    what: "dotted members",
    text: `{${filled((i) => `"a.b${i.toString(36)}.c":0`, ",", bytes - 2)}}`,
  },
  {
    what: "members within members",
    text: `{${filled((i) => `"a${"." + "a".repeat(i % 50)}":0`, ",", bytes - 2)}}`,
  },
  { what: "a long name", text: `{"${fill("a", bytes - 6)}":0}` },
  { what: "a path of many levels", text: `{"${fill("a.", bytes - 7)}a":0}` },
  { what: "long names", text: `{${filled((i) => `"${i}${"a".repeat(1000)}":0`, ",", bytes - 2)}}` },
  { what: "arrays in arrays", text: fill("[", bytes / 2 - 1) + fill("]", bytes / 2 - 1) },
  {
    what: "objects in objects",
    text: `${fill('{"a":', bytes / 6 - 6)}0${"}".repeat(fill('{"a":', bytes / 6 - 6).length / 5)}`,
  },
  { what: "numbers", text: `[${fill("0,", bytes - 3)}0]` },
  { what: "empty texts", text: `[${fill('"",', bytes - 4)}""]` },
  { what: "empty arrays", text: `[${fill("[],", bytes - 4)}[]]` },
  { what: "empty objects", text: `[${fill("{},", bytes - 4)}{}]` },
  { what: "white space", text: `${fill(" ", bytes - 1)}0` },
];

/** Bodies of at most so many bytes, made of one that the operation takes. */
export function* hostileBodies(sample: unknown, bytesMax: number): Generator<Hostile> {
  yield* hostileValues(bytesMax);
  if (!isObject(sample as Json)) return;
  const members = Object.entries(sample as Record<string, Json>);
  for (const [name, value] of members) {
    const others = JSON.stringify(Object.fromEntries(members.filter(([other]) => other !== name)));
    const rest = others === "{}" ? "" : `,${others.slice(1, -1)}`;
    const room = bytesMax - rest.length - name.length - 10;
    const within = (text: string) => `{${JSON.stringify(name)}:${text}${rest}}`;
    for (const { what, text } of hostileValues(room)) {
      yield { what: `${name}: ${what}`, text: within(text) };
    }
    if (!Array.isArray(value)) continue;
    for (const { what, text } of hostileValues(Math.floor(room / 100) - 1)) {
      const list = Array.from({ length: 100 }, () => text);
      yield { what: `${name}: a hundred of ${what}`, text: within(`[${list.join()}]`) };
    }
  }
}

const QUERY_BYTES = 32_768;

/** Query texts of at most 32 KiB; `name` is a field that is there. */
export const hostileQueries = (name: string): Hostile[] =>
  [
    ["one parameter again and again", fill("a&", QUERY_BYTES)],
    ["conditions on one field", fill(`${name}=a&`, QUERY_BYTES)],
    ["many parameters", filled((i) => `${i.toString(36)}=`, "&", QUERY_BYTES)],
    ["a hundred parameters of many levels", filled((i) => fill("a.", 290) + i, "&", 30_000)],
    ["a parameter of many levels", `${fill("a.", QUERY_BYTES - 4)}a=1`],
    ["a parameter of many operators", `${fill("a_", QUERY_BYTES - 4)}gt=1`],
    ["separators", fill("&", QUERY_BYTES)],
    ["escapes", fill("%61", QUERY_BYTES)],
    ["half escapes", fill("%", QUERY_BYTES)],
    ["pluses", fill("+", QUERY_BYTES)],
    ["a long value", `${name}=${fill("a", QUERY_BYTES - 20)}`],
    ["a list of values", `${name}_in=${fill("a,", QUERY_BYTES - 20)}`],
    ["different values", `${name}_in=${filled((i) => i.toString(36), ",", 6_000)}`],
    ["fields", `fields=${filled((i) => i.toString(36), ",", QUERY_BYTES - 20)}`],
    ["one field again and again", `limit=1000&fields=${fill("a,", QUERY_BYTES - 40)}a`],
    [
      "two hundred fields of many levels",
      `fields=${filled((i) => fill("a.", 140) + i, ",", 32_000)}`,
    ],
    ["sort keys", `sort=${fill("a,", QUERY_BYTES - 20)}`],
    ["a sort key of many levels", `sort=${fill("a.", QUERY_BYTES - 20)}`],
    ["populate", `populate=${fill("a,", QUERY_BYTES - 20)}`],
    ["a deep tree", `where=${fill('{"and":[', QUERY_BYTES - 20)}`],
    ["a wide tree", `where={"or":[${fill("{},", 4_000)}{}]}`],
    ["a tree of paths", `where={"${fill("a.", 4_000)}a":1}`],
    ["a cursor", `cursor=${fill("A", QUERY_BYTES - 20)}`],
    ["parts of a cursor", `cursor=${fill("A.", QUERY_BYTES - 20)}`],
    ["a pattern", `${name}_regex=${fill("a*", 128)}`],
    ["a search", `search=${fill("a+", QUERY_BYTES - 20)}`],
  ].map(([what, text]) => ({ what: what!, text: text! }));

const HEADER_BYTES = 65_536;

/** Headers as long as a server takes them; `text` is the value. */
export const hostileHeaders = (): (Hostile & { readonly name: string })[] =>
  [
    ["cookie", fill("a=b; ", HEADER_BYTES)],
    ["cookie", fill(";", HEADER_BYTES)],
    ["cookie", fill("corbel_session=a; ", HEADER_BYTES)],
    ["authorization", `Bearer ${fill("a", HEADER_BYTES)}`],
    ["authorization", `Bearer ${fill("a.", HEADER_BYTES)}`],
    ["x-api-key", `pk_live_${fill("a", HEADER_BYTES)}`],
    ["x-forwarded-for", fill("1.2.3.4, ", HEADER_BYTES)],
    ["x-forwarded-for", fill(",", HEADER_BYTES)],
    ["if-none-match", fill('"a", ', HEADER_BYTES)],
    ["if-none-match", fill('"', HEADER_BYTES)],
    ["if-match", fill('"a",', HEADER_BYTES)],
    ["range", `bytes=${fill("0-0,", HEADER_BYTES)}`],
    ["range", `bytes=${fill("1", HEADER_BYTES)}-`],
    ["accept-encoding", fill("gzip;q=0, ", HEADER_BYTES)],
    ["accept-encoding", fill(";", HEADER_BYTES)],
    ["accept-language", fill("en,", HEADER_BYTES)],
    ["content-type", `application/json${fill(";a=b", HEADER_BYTES)}`],
    ["content-type", `application/json${fill(" ", HEADER_BYTES)}x`],
    ["origin", `https://${fill("a.", HEADER_BYTES)}`],
    ["idempotency-key", fill("a", HEADER_BYTES)],
    ["user-agent", fill("Mozilla/5.0 (", HEADER_BYTES)],
    ["x-refresh-token", fill("a.", HEADER_BYTES)],
    ["cache-control", fill("no-cache,", HEADER_BYTES)],
  ].map(([name, text]) => ({ what: `${name}: ${text!.slice(0, 24)}…`, name: name!, text: text! }));

/** Bodies of forms of at most so many bytes, with the names that a form has. */
export function* hostileForms(names: readonly string[], bytesMax: number): Generator<Hostile> {
  yield { what: "one field again and again", text: fill("a&", bytesMax) };
  yield { what: "many fields", text: filled((i) => `${i.toString(36)}=`, "&", bytesMax) };
  yield { what: "numbered fields", text: filled((i) => `${i}.key=a`, "&", bytesMax) };
  yield { what: "a thousand numbered fields", text: filled((i) => `${i}.key=a${i}`, "&", 13_000) };
  yield {
    what: "fields of a document",
    text: filled((i) => `f.${i.toString(36)}=a`, "&", bytesMax),
  };
  yield { what: "a thousand fields of a document", text: filled((i) => `f.${i}=a`, "&", 8_000) };
  yield { what: "separators", text: fill("&", bytesMax) };
  yield { what: "escapes", text: fill("%41", bytesMax) };
  for (const name of names) {
    const start = `${encodeURIComponent(name)}=`;
    yield { what: `${name} again and again`, text: fill(`${start}a&`, bytesMax) };
    yield { what: `${name} a thousand times`, text: fill(`${start}a&`, 999 * (start.length + 2)) };
    yield { what: `a long ${name}`, text: start + fill("a", bytesMax - start.length) };
    yield { what: `${name} of lines`, text: start + fill("%0A", bytesMax - start.length) };
  }
}

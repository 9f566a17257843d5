/** The dearest requests that fit the limits: the largest ones, of the smallest and longest parts. */

import { BODY_MEMBERS_MAX, DOCUMENT_MEMBERS_MAX, QUERY_LENGTH_MAX } from "@/lib/limits.ts";
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

/** As many different parts as there are and fit, with a separator between them. */
function filled(part: (i: number) => string | null, separator: string, length: number): string {
  const parts: string[] = [];
  for (let i = 0, left = length;; i++) {
    const next = part(i);
    if (next === null) return parts.join(separator);
    left -= next.length + separator.length;
    if (left < 0) return parts.join(separator);
    parts.push(next);
  }
}

/** As many members as a document may have, beside a few others. */
const MEMBERS = DOCUMENT_MEMBERS_MAX - 100;

/** Up to that, texts are kept: many operations take bodies of one size. */
const KEPT_BYTES_MAX = 2 * 1_048_576;
const SIZES_KEPT = 8;
const STEP = 1024;
const kept = new Map<string, Hostile[]>();

/** JSON values of at most so many bytes, and some of at most so many members. */
function hostileValues(bytes: number, members = MEMBERS): Hostile[] {
  const least = bytes > 10 * STEP ? Math.floor(bytes / STEP) * STEP : bytes;
  const key = `${least} ${members}`;
  const values = kept.get(key) ?? newHostileValues(least, members);
  if (kept.size === SIZES_KEPT) kept.clear();
  if (bytes <= KEPT_BYTES_MAX) kept.set(key, values);
  return values;
}

const newHostileValues = (bytes: number, members: number): Hostile[] => [
  ...[
    ["as many members as are taken", (i: number) => `"${i.toString(36)}":0`] as const,
    ["as many paths as are taken", (i: number) => `"a.b${i.toString(36)}.c":0`] as const,
    ["as many long paths", (i: number) => `"${"a.".repeat(18)}b${i.toString(36)}":0`] as const,
    ["as many objects", (i: number) => `"${i.toString(36)}":{}`] as const,
  ].map(([what, part]) => ({
    what,
    text: `{${filled((i) => i < members ? part(i) : null, ",", bytes - 2)}}`,
  })),
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

/** Of each of a hundred documents, so that their body has no more than it may have. */
const MEMBERS_OF_ONE = BODY_MEMBERS_MAX / 100 - 1;

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
    for (const { what, text } of hostileValues(Math.floor(room / 100) - 1, MEMBERS_OF_ONE)) {
      const list = Array.from({ length: 100 }, () => text);
      yield { what: `${name}: a hundred of ${what}`, text: within(`[${list.join()}]`) };
    }
  }
}

/** As many classes as a pattern has room for. */
const WIDE = encodeURIComponent("[a-\u{10ffff}]".repeat(21));

/** The longest query texts; `name` is a field that is there. */
export const hostileQueries = (name: string): Hostile[] =>
  [
    ["one parameter again and again", fill("a&", QUERY_LENGTH_MAX)],
    ["conditions on one field", fill(`${name}=a&`, QUERY_LENGTH_MAX)],
    ["many parameters", filled((i) => `${i.toString(36)}=`, "&", QUERY_LENGTH_MAX)],
    ["a hundred parameters of many levels", filled((i) => fill("a.", 290) + i, "&", 30_000)],
    ["a parameter of many levels", `${fill("a.", QUERY_LENGTH_MAX - 4)}a=1`],
    ["a parameter of many operators", `${fill("a_", QUERY_LENGTH_MAX - 4)}gt=1`],
    ["separators", fill("&", QUERY_LENGTH_MAX)],
    ["escapes", fill("%61", QUERY_LENGTH_MAX)],
    ["half escapes", fill("%", QUERY_LENGTH_MAX)],
    [
      "a hundred conditions",
      filled((i) => i < 99 ? `a.b${i}_ne=${"a".repeat(300)}` : null, "&", 32_000),
    ],
    [
      "fifty conditions that hold",
      `where={"and":[${filled((i) => i < 50 ? `{"a${i}":{"ne":1}}` : null, ",", 4_000)}]}`,
    ],
    [
      "a list of all values",
      `${name}_in=${filled((i) => i < 1000 ? `value ${i}` : null, ",", 32_000)}`,
    ],
    ["pluses", fill("+", QUERY_LENGTH_MAX)],
    ["a long value", `${name}=${fill("a", QUERY_LENGTH_MAX - 20)}`],
    ["a list of values", `${name}_in=${fill("a,", QUERY_LENGTH_MAX - 20)}`],
    ["different values", `${name}_in=${filled((i) => i.toString(36), ",", 6_000)}`],
    ["fields", `fields=${filled((i) => i.toString(36), ",", QUERY_LENGTH_MAX - 20)}`],
    ["one field again and again", `limit=1000&fields=${fill("a,", QUERY_LENGTH_MAX - 40)}a`],
    [
      "two hundred fields of many levels",
      `fields=${filled((i) => fill("a.", 140) + i, ",", 32_000)}`,
    ],
    ["sort keys", `sort=${fill("a,", QUERY_LENGTH_MAX - 20)}`],
    ["a sort key of many levels", `sort=${fill("a.", QUERY_LENGTH_MAX - 20)}`],
    ["populate", `populate=${fill("a,", QUERY_LENGTH_MAX - 20)}`],
    ["populate of what refers back", `populate=${fill("a(b).", QUERY_LENGTH_MAX - 20)}`],
    ["populate of brackets", `populate=${fill("a(", 280)}`],
    ["groups", `group=${fill("a,", QUERY_LENGTH_MAX - 20)}`],
    ["figures", `sum=${fill("a,", QUERY_LENGTH_MAX - 20)}`],
    ["a time zone", `group=createdAt:day&timeZone=${fill("A/", QUERY_LENGTH_MAX - 40)}`],
    [
      "groups of all there is",
      `group=${name},views,createdAt:hour&timeZone=America/New_York&sum=views&` +
      "avg=views&min=views,createdAt&max=views,createdAt&sort=-count,sum.views&limit=1000",
    ],
    ["a deep tree", `where=${fill('{"and":[', QUERY_LENGTH_MAX - 20)}`],
    ["a wide tree", `where={"or":[${fill("{},", 4_000)}{}]}`],
    ["a tree of paths", `where={"${fill("a.", 4_000)}a":1}`],
    ["a cursor", `cursor=${fill("A", QUERY_LENGTH_MAX - 20)}`],
    ["parts of a cursor", `cursor=${fill("A.", QUERY_LENGTH_MAX - 20)}`],
    ["a pattern", `${name}_regex=${fill("a*", 128)}`],
    ["patterns of wide ranges", filled(() => `${name}_regex=${WIDE}`, "&", 32_000)],
    [
      "ten patterns of wide ranges",
      fill(`${name}_regex=${encodeURIComponent("[ -\uffff]")}&`, 400),
    ],
    ["a search", `search=${fill("a+", QUERY_LENGTH_MAX - 20)}`],
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
  ].map(([name, text]) => ({ what: `${name}: ${beginning(text!)}…`, name: name!, text: text! }));

/** A copy: as long as there is a slice of a text, V8 keeps the whole text. */
const beginning = (text: string): string => [...text.slice(0, 24)].join("");

/** Of what becomes longer in a page. */
const LESS = "<".repeat(280);

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
  yield { what: "long names", text: filled((i) => `f.${LESS}${i}=a`, "&", bytesMax) };
  yield {
    what: "names as long as they may be",
    text: filled((i) => `f.${LESS}${i}=a`, "&", 250_000),
  };
  yield { what: "rows with long names", text: filled((i) => `${i}.key=${LESS}`, "&", bytesMax) };
  yield {
    what: "rows within one of a long name",
    text: `0.type=Object&0.key=${fill("<", bytesMax / 4)}&${
      filled((i) => i < 900 ? `0.${i}.key=a` : null, "&", bytesMax / 2)
    }`,
  };
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

const BOUNDARY = "hostile";
export const UPLOAD_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** With the kind of its body, where that is another one than {@linkcode UPLOAD_TYPE}. */
export type HostileUpload = Hostile & { readonly type?: string };

const part = (name: string, content: string, more = ""): string =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;

const formOf = (...parts: readonly string[]): string => `${parts.join("")}--${BOUNDARY}--\r\n`;

/** Forms of several parts, with a file of at most so many bytes, or its rows. */
export function* hostileUploads(bytesMax: number): Generator<HostileUpload> {
  const bytes = bytesMax - 1024;
  const texts: Hostile[] = [
    { what: "columns", text: filled((i) => `c${i}`, ",", bytes) },
    { what: "delimiters", text: `a\n${fill(",", bytes - 2)}` },
    { what: "rows", text: `a\n${fill("1\n", bytes - 2)}` },
    { what: "as many rows as are taken", text: `a\n${fill("1\n", 9_998)}` },
    { what: "as many cells as are taken", text: cellsOf(500, 119) },
    { what: "rows of many cells", text: cellsOf(12, 4_999) },
    { what: "quotes", text: `a\n${fill('"', bytes - 2)}` },
    { what: "quoted line ends", text: `a\n${fill('"\n",', bytes - 2)}` },
    { what: "documents", text: `[${fill('{"a":0},', 39_000)}{}]` },
    { what: "rows of a preview", text: `[${fill('{"number":1,"document":{}},', 130_000)}{}]` },
    ...hostileValues(bytes),
  ];
  for (const { what, text } of texts) {
    yield { what: `a file of ${what}`, text: formOf(part("file", text, '; filename="a.csv"')) };
    yield { what: `the text ${what}`, text: formOf(part("text", text)) };
    yield { what: `rows: ${what}`, text: formOf(part("rows", text), part("once", "a")) };
  }
  for (const length of [60, 3_000, 30_000]) {
    const boundary = `b${"a".repeat(length - 1)}`;
    const type = `multipart/form-data; boundary=${boundary}`;
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="text"\r\n\r\n`;
    const text = `${head}${fill("a", bytes - 2 * length)}\r\n--${boundary}--\r\n`;
    yield { what: `a boundary of ${length} characters`, text, type };
  }
  yield { what: "parts", text: formOf(fill(part("a", ""), bytes)) };
  yield { what: "a part without an end", text: `--${BOUNDARY}\r\n${fill("a: b\r\n", bytes)}` };
  yield { what: "line ends", text: `--${BOUNDARY}\r\n\r\n${fill("\r\n", bytes)}` };
  yield { what: "boundaries", text: fill(`--${BOUNDARY}\r\n`, bytes) };
  yield { what: "beginnings of boundaries", text: formOf(part("a", fill("\r\n--host", bytes))) };
}

/** A CSV with so many columns and rows. */
const cellsOf = (columns: number, rows: number): string =>
  `${filled((i) => i < columns ? `c${i}` : null, ",", 9_000)}\n` +
  fill(`${fill("1,", 2 * (columns - 1))}1\n`, rows * 2 * columns);

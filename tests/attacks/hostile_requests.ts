/** The most expensive allowed requests, with the smallest and the longest parts. */

import { BODY_MEMBERS_MAX, DOCUMENT_MEMBERS_MAX, QUERY_LENGTH_MAX } from "@/lib/limits.ts";
import type { Json } from "@/lib/store/port.ts";
import { isObject } from "@/lib/store/shape.ts";

export interface HostileText {
  readonly what: string;
  readonly text: string;
}

const repeatToLength = (piece: string, length: number): string =>
  piece.repeat(Math.max(1, Math.floor(length / piece.length)));

/** Joins as many different parts as fit. */
function joinToLength(
  part: (i: number) => string | null,
  separator: string,
  length: number,
): string {
  const parts: string[] = [];
  for (let i = 0, left = length;; i++) {
    const next = part(i);
    if (next === null) return parts.join(separator);
    left -= next.length + separator.length;
    if (left < 0) return parts.join(separator);
    parts.push(next);
  }
}

/** Members of a document that leave room for a few others. */
const MEMBERS = DOCUMENT_MEMBERS_MAX - 100;

/** Bytes of texts that are cached, because many operations accept equally long bodies. */
const CACHED_BYTES_MAX = 2 * 1_048_576;
const CACHED_SIZES_MAX = 8;
const STEP = 1024;
const kept = new Map<string, HostileText[]>();

/** Returns JSON values within a number of bytes and of members. */
function hostileValues(bytes: number, members = MEMBERS): HostileText[] {
  const least = bytes > 10 * STEP ? Math.floor(bytes / STEP) * STEP : bytes;
  const key = `${least} ${members}`;
  const values = kept.get(key) ?? newHostileValues(least, members);
  if (kept.size === CACHED_SIZES_MAX) kept.clear();
  if (bytes <= CACHED_BYTES_MAX) kept.set(key, values);
  return values;
}

const newHostileValues = (bytes: number, members: number): HostileText[] => [
  ...[
    ["as many members as are taken", (i: number) => `"${i.toString(36)}":0`] as const,
    ["as many paths as are taken", (i: number) => `"a.b${i.toString(36)}.c":0`] as const,
    ["as many long paths", (i: number) => `"${"a.".repeat(18)}b${i.toString(36)}":0`] as const,
    ["as many objects", (i: number) => `"${i.toString(36)}":{}`] as const,
  ].map(([what, part]) => ({
    what,
    text: `{${joinToLength((i) => i < members ? part(i) : null, ",", bytes - 2)}}`,
  })),
  { what: "a long text", text: `"${repeatToLength("a", bytes - 2)}"` },
  { what: "a text of escapes", text: `"${repeatToLength("\\u0041", bytes - 2)}"` },
  { what: "a number of many digits", text: repeatToLength("1", bytes) },
  { what: "members", text: `{${joinToLength((i) => `"${i.toString(36)}":0`, ",", bytes - 2)}}` },
  { what: "one member again and again", text: `{${repeatToLength('"a":0,', bytes - 8)}"a":0}` },
  {
    what: "dotted members",
    text: `{${joinToLength((i) => `"a.b${i.toString(36)}.c":0`, ",", bytes - 2)}}`,
  },
  {
    what: "members within members",
    text: `{${joinToLength((i) => `"a${"." + "a".repeat(i % 50)}":0`, ",", bytes - 2)}}`,
  },
  { what: "a long name", text: `{"${repeatToLength("a", bytes - 6)}":0}` },
  { what: "a path of many levels", text: `{"${repeatToLength("a.", bytes - 7)}a":0}` },
  {
    what: "long names",
    text: `{${joinToLength((i) => `"${i}${"a".repeat(1000)}":0`, ",", bytes - 2)}}`,
  },
  {
    what: "arrays in arrays",
    text: repeatToLength("[", bytes / 2 - 1) + repeatToLength("]", bytes / 2 - 1),
  },
  {
    what: "objects in objects",
    text: `${repeatToLength('{"a":', bytes / 6 - 6)}0${
      "}".repeat(repeatToLength('{"a":', bytes / 6 - 6).length / 5)
    }`,
  },
  { what: "numbers", text: `[${repeatToLength("0,", bytes - 3)}0]` },
  { what: "empty texts", text: `[${repeatToLength('"",', bytes - 4)}""]` },
  { what: "empty arrays", text: `[${repeatToLength("[],", bytes - 4)}[]]` },
  { what: "empty objects", text: `[${repeatToLength("{},", bytes - 4)}{}]` },
  { what: "white space", text: `${repeatToLength(" ", bytes - 1)}0` },
];

/** Members of each of a hundred documents that together reach the limit of a body. */
const MEMBERS_PER_DOCUMENT = BODY_MEMBERS_MAX / 100 - 1;

/** Yields bodies within a number of bytes, derived from a valid one. */
export function* hostileBodies(sample: unknown, bytesMax: number): Generator<HostileText> {
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
    for (const { what, text } of hostileValues(Math.floor(room / 100) - 1, MEMBERS_PER_DOCUMENT)) {
      const list = Array.from({ length: 100 }, () => text);
      yield { what: `${name}: a hundred of ${what}`, text: within(`[${list.join()}]`) };
    }
  }
}

/** A pattern with the maximum number of character classes. */
const WIDE = encodeURIComponent("[a-\u{10ffff}]".repeat(21));

/** Returns the longest query strings for an existing field `name`. */
export const hostileQueries = (name: string): HostileText[] =>
  [
    ["one parameter again and again", repeatToLength("a&", QUERY_LENGTH_MAX)],
    ["conditions on one field", repeatToLength(`${name}=a&`, QUERY_LENGTH_MAX)],
    ["many parameters", joinToLength((i) => `${i.toString(36)}=`, "&", QUERY_LENGTH_MAX)],
    [
      "a hundred parameters of many levels",
      joinToLength((i) => repeatToLength("a.", 290) + i, "&", 30_000),
    ],
    ["a parameter of many levels", `${repeatToLength("a.", QUERY_LENGTH_MAX - 4)}a=1`],
    ["a parameter of many operators", `${repeatToLength("a_", QUERY_LENGTH_MAX - 4)}gt=1`],
    ["separators", repeatToLength("&", QUERY_LENGTH_MAX)],
    ["escapes", repeatToLength("%61", QUERY_LENGTH_MAX)],
    ["half escapes", repeatToLength("%", QUERY_LENGTH_MAX)],
    [
      "a hundred conditions",
      joinToLength((i) => i < 99 ? `a.b${i}_ne=${"a".repeat(300)}` : null, "&", 32_000),
    ],
    [
      "fifty conditions that hold",
      `where={"and":[${joinToLength((i) => i < 50 ? `{"a${i}":{"ne":1}}` : null, ",", 4_000)}]}`,
    ],
    [
      "a list of all values",
      `${name}_in=${joinToLength((i) => i < 1000 ? `value ${i}` : null, ",", 32_000)}`,
    ],
    ["pluses", repeatToLength("+", QUERY_LENGTH_MAX)],
    ["a long value", `${name}=${repeatToLength("a", QUERY_LENGTH_MAX - 20)}`],
    ["a list of values", `${name}_in=${repeatToLength("a,", QUERY_LENGTH_MAX - 20)}`],
    ["different values", `${name}_in=${joinToLength((i) => i.toString(36), ",", 6_000)}`],
    ["fields", `fields=${joinToLength((i) => i.toString(36), ",", QUERY_LENGTH_MAX - 20)}`],
    [
      "one field again and again",
      `limit=1000&fields=${repeatToLength("a,", QUERY_LENGTH_MAX - 40)}a`,
    ],
    [
      "two hundred fields of many levels",
      `fields=${joinToLength((i) => repeatToLength("a.", 140) + i, ",", 32_000)}`,
    ],
    ["sort keys", `sort=${repeatToLength("a,", QUERY_LENGTH_MAX - 20)}`],
    ["a sort key of many levels", `sort=${repeatToLength("a.", QUERY_LENGTH_MAX - 20)}`],
    ["populate", `populate=${repeatToLength("a,", QUERY_LENGTH_MAX - 20)}`],
    ["populate of what refers back", `populate=${repeatToLength("a(b).", QUERY_LENGTH_MAX - 20)}`],
    ["populate of brackets", `populate=${repeatToLength("a(", 280)}`],
    ["groups", `group=${repeatToLength("a,", QUERY_LENGTH_MAX - 20)}`],
    ["figures", `sum=${repeatToLength("a,", QUERY_LENGTH_MAX - 20)}`],
    ["a time zone", `group=createdAt:day&timeZone=${repeatToLength("A/", QUERY_LENGTH_MAX - 40)}`],
    [
      "groups of all there is",
      `group=${name},views,createdAt:hour&timeZone=America/New_York&sum=views&` +
      "avg=views&min=views,createdAt&max=views,createdAt&sort=-count,sum.views&limit=1000",
    ],
    ["a deep tree", `where=${repeatToLength('{"and":[', QUERY_LENGTH_MAX - 20)}`],
    ["a wide tree", `where={"or":[${repeatToLength("{},", 4_000)}{}]}`],
    ["a tree of paths", `where={"${repeatToLength("a.", 4_000)}a":1}`],
    ["a cursor", `cursor=${repeatToLength("A", QUERY_LENGTH_MAX - 20)}`],
    ["parts of a cursor", `cursor=${repeatToLength("A.", QUERY_LENGTH_MAX - 20)}`],
    ["a pattern", `${name}_regex=${repeatToLength("a*", 128)}`],
    ["patterns of wide ranges", joinToLength(() => `${name}_regex=${WIDE}`, "&", 32_000)],
    [
      "ten patterns of wide ranges",
      repeatToLength(`${name}_regex=${encodeURIComponent("[ -\uffff]")}&`, 400),
    ],
    ["a search", `search=${repeatToLength("a+", QUERY_LENGTH_MAX - 20)}`],
  ].map(([what, text]) => ({ what: what!, text: text! }));

const HEADER_BYTES = 65_536;

/** Returns headers of the maximum length, with `text` as the value. */
export const hostileHeaders = (): (HostileText & { readonly name: string })[] =>
  [
    ["cookie", repeatToLength("a=b; ", HEADER_BYTES)],
    ["cookie", repeatToLength(";", HEADER_BYTES)],
    ["cookie", repeatToLength("corbel_session=a; ", HEADER_BYTES)],
    ["authorization", `Bearer ${repeatToLength("a", HEADER_BYTES)}`],
    ["authorization", `Bearer ${repeatToLength("a.", HEADER_BYTES)}`],
    ["x-api-key", `pk_live_${repeatToLength("a", HEADER_BYTES)}`],
    ["x-forwarded-for", repeatToLength("1.2.3.4, ", HEADER_BYTES)],
    ["x-forwarded-for", repeatToLength(",", HEADER_BYTES)],
    ["if-none-match", repeatToLength('"a", ', HEADER_BYTES)],
    ["if-none-match", repeatToLength('"', HEADER_BYTES)],
    ["if-match", repeatToLength('"a",', HEADER_BYTES)],
    ["range", `bytes=${repeatToLength("0-0,", HEADER_BYTES)}`],
    ["range", `bytes=${repeatToLength("1", HEADER_BYTES)}-`],
    ["accept-encoding", repeatToLength("gzip;q=0, ", HEADER_BYTES)],
    ["accept-encoding", repeatToLength(";", HEADER_BYTES)],
    ["accept-language", repeatToLength("en,", HEADER_BYTES)],
    ["content-type", `application/json${repeatToLength(";a=b", HEADER_BYTES)}`],
    ["content-type", `application/json${repeatToLength(" ", HEADER_BYTES)}x`],
    ["origin", `https://${repeatToLength("a.", HEADER_BYTES)}`],
    ["idempotency-key", repeatToLength("a", HEADER_BYTES)],
    ["user-agent", repeatToLength("Mozilla/5.0 (", HEADER_BYTES)],
    ["x-refresh-token", repeatToLength("a.", HEADER_BYTES)],
    ["cache-control", repeatToLength("no-cache,", HEADER_BYTES)],
  ].map(([name, text]) => ({ what: `${name}: ${beginning(text!)}…`, name: name!, text: text! }));

/** Copies the beginning, because V8 keeps a text in memory as long as a slice of it. */
const beginning = (text: string): string => [...text.slice(0, 24)].join("");

/** Characters that become longer in HTML. */
const ESCAPED_TEXT = "<".repeat(280);

/** Yields form bodies within a number of bytes, with a form's field names. */
export function* hostileForms(names: readonly string[], bytesMax: number): Generator<HostileText> {
  yield { what: "one field again and again", text: repeatToLength("a&", bytesMax) };
  yield { what: "many fields", text: joinToLength((i) => `${i.toString(36)}=`, "&", bytesMax) };
  yield { what: "numbered fields", text: joinToLength((i) => `${i}.key=a`, "&", bytesMax) };
  yield {
    what: "a thousand numbered fields",
    text: joinToLength((i) => `${i}.key=a${i}`, "&", 13_000),
  };
  yield {
    what: "fields of a document",
    text: joinToLength((i) => `f.${i.toString(36)}=a`, "&", bytesMax),
  };
  yield {
    what: "a thousand fields of a document",
    text: joinToLength((i) => `f.${i}=a`, "&", 8_000),
  };
  yield { what: "long names", text: joinToLength((i) => `f.${ESCAPED_TEXT}${i}=a`, "&", bytesMax) };
  yield {
    what: "names as long as they may be",
    text: joinToLength((i) => `f.${ESCAPED_TEXT}${i}=a`, "&", 250_000),
  };
  yield {
    what: "rows with long names",
    text: joinToLength((i) => `${i}.key=${ESCAPED_TEXT}`, "&", bytesMax),
  };
  yield {
    what: "rows within one of a long name",
    text: `0.type=Object&0.key=${repeatToLength("<", bytesMax / 4)}&${
      joinToLength((i) => i < 900 ? `0.${i}.key=a` : null, "&", bytesMax / 2)
    }`,
  };
  yield { what: "separators", text: repeatToLength("&", bytesMax) };
  yield { what: "escapes", text: repeatToLength("%41", bytesMax) };
  for (const name of names) {
    const start = `${encodeURIComponent(name)}=`;
    yield { what: `${name} again and again`, text: repeatToLength(`${start}a&`, bytesMax) };
    yield {
      what: `${name} a thousand times`,
      text: repeatToLength(`${start}a&`, 999 * (start.length + 2)),
    };
    yield { what: `a long ${name}`, text: start + repeatToLength("a", bytesMax - start.length) };
    yield {
      what: `${name} of lines`,
      text: start + repeatToLength("%0A", bytesMax - start.length),
    };
  }
}

const BOUNDARY = "hostile";
export const UPLOAD_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** An upload with its content type, unless it is {@linkcode UPLOAD_TYPE}. */
export type HostileUpload = HostileText & { readonly type?: string };

const part = (name: string, content: string, more = ""): string =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;

const formOf = (...parts: readonly string[]): string => `${parts.join("")}--${BOUNDARY}--\r\n`;

/** Yields multipart forms with a file of limited bytes, or with its rows. */
export function* hostileUploads(bytesMax: number): Generator<HostileUpload> {
  const bytes = bytesMax - 1024;
  const texts: HostileText[] = [
    { what: "columns", text: joinToLength((i) => `c${i}`, ",", bytes) },
    { what: "delimiters", text: `a\n${repeatToLength(",", bytes - 2)}` },
    { what: "rows", text: `a\n${repeatToLength("1\n", bytes - 2)}` },
    { what: "as many rows as are taken", text: `a\n${repeatToLength("1\n", 9_998)}` },
    { what: "as many cells as are taken", text: cellsOf(500, 119) },
    { what: "rows of many cells", text: cellsOf(12, 4_999) },
    { what: "quotes", text: `a\n${repeatToLength('"', bytes - 2)}` },
    { what: "quoted line ends", text: `a\n${repeatToLength('"\n",', bytes - 2)}` },
    { what: "documents", text: `[${repeatToLength('{"a":0},', 39_000)}{}]` },
    {
      what: "rows of a preview",
      text: `[${repeatToLength('{"number":1,"document":{}},', 130_000)}{}]`,
    },
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
    const text = `${head}${repeatToLength("a", bytes - 2 * length)}\r\n--${boundary}--\r\n`;
    yield { what: `a boundary of ${length} characters`, text, type };
  }
  yield { what: "parts", text: formOf(repeatToLength(part("a", ""), bytes)) };
  yield {
    what: "a part without an end",
    text: `--${BOUNDARY}\r\n${repeatToLength("a: b\r\n", bytes)}`,
  };
  yield { what: "line ends", text: `--${BOUNDARY}\r\n\r\n${repeatToLength("\r\n", bytes)}` };
  yield { what: "boundaries", text: repeatToLength(`--${BOUNDARY}\r\n`, bytes) };
  yield {
    what: "beginnings of boundaries",
    text: formOf(part("a", repeatToLength("\r\n--host", bytes))),
  };
}

const cellsOf = (columns: number, rows: number): string =>
  `${joinToLength((i) => i < columns ? `c${i}` : null, ",", 9_000)}\n` +
  repeatToLength(`${repeatToLength("1,", 2 * (columns - 1))}1\n`, rows * 2 * columns);

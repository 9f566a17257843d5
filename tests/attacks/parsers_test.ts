/**
 * Every parser of what a request brings, with inputs of one kind that grow: twice as much may not
 * take four times as long. Each is called beyond the bound that a request is held to as well.
 */

import assert from "node:assert/strict";
import { compileCollection } from "@/lib/documents/collection.ts";
import { parseDefinition } from "@/lib/documents/definition.ts";
import { fitWhole } from "@/lib/documents/document.ts";
import { fitChanges } from "@/lib/documents/fit_changes.ts";
import { patternProblem } from "@/lib/documents/pattern.ts";
import { namesTag } from "@/lib/documents/precondition.ts";
import { parseListQuery, splitCursor } from "@/lib/documents/query.ts";
import { parseWhere } from "@/lib/documents/where.ts";
import { readForm } from "@/lib/http/body.ts";
import { createCookies } from "@/lib/http/cookies.ts";
import { readFileForm } from "@/lib/http/file_form.ts";
import { readAddress } from "@/lib/http/path.ts";
import { readRanges } from "@/lib/http/ranges.ts";
import { RequestState } from "@/lib/http/request.ts";
import { Problem } from "@/lib/problems.ts";
import { parseJson } from "@/lib/store/json_text.ts";
import { readDraft } from "@/routes/dashboard/collections/draft_form.ts";
import { takesEncoding } from "@/routes/dashboard/compression.ts";
import { readCsv } from "@/routes/dashboard/documents/csv.ts";
import { readEntries } from "@/routes/dashboard/documents/entered.ts";
import { readUploadForm } from "@/routes/dashboard/documents/upload_form.ts";
import { readView, viewText } from "@/routes/dashboard/documents/view.ts";
import { processorMs } from "./cost.ts";

const collection = compileCollection(parseDefinition({
  name: "posts",
  fields: [
    { key: "title", type: "String", unique: true },
    { key: "views", type: "Number", index: true },
    { key: "author", type: "Ref", ref: "users" },
    { key: "address", type: "Object", fields: [{ key: "city", type: "String" }] },
  ],
  strict: false,
}));

/** Parts from 0 to `n`, joined. */
const many = (n: number, part: (i: number) => string, separator = ""): string =>
  Array.from({ length: n }, (_, i) => part(i)).join(separator);

const objectOf = (n: number, name: (i: number) => string, value: unknown = 0) =>
  Object.fromEntries(Array.from({ length: n }, (_, i) => [name(i), value])) as Record<
    string,
    never
  >;

const cookies = createCookies("https://corbel.example");
const options = { trustProxy: 2, publicUrl: "https://corbel.example" };
const connection = { remoteAddr: { hostname: "127.0.0.1" } };

const clientOf = (forwarded: string): string => {
  const headers = { "x-forwarded-for": forwarded };
  const request = new Request("http://localhost/", { headers });
  return new RequestState(request, connection, options).client;
};

const FORM = "application/x-www-form-urlencoded";
const BOUNDARY = "multipart/form-data; boundary=x";

const formOf = (text: string) =>
  readForm(
    new Request("http://localhost/", {
      method: "POST",
      body: text,
      headers: { "content-type": FORM },
    }),
    8 * 1_048_576,
  );

async function* chunksOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield await bytes.subarray(at, at + size);
}

const uploadForm = (text: string) =>
  readUploadForm({ header: () => BOUNDARY, chunks: () => chunksOf(text, 65_536) });

const part = (name: string, value: string): string =>
  `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

interface Parser {
  readonly name: string;
  /** The smallest of its three sizes; the largest is sixteen times that. */
  readonly size: number;
  /** What is parsed; making it is not measured. */
  readonly input: (n: number) => string | Record<string, never>;
  // deno-lint-ignore no-explicit-any -- Each takes what its own `input` made.
  readonly parse: (input: any) => unknown;
}

const query = (name: string, input: (n: number) => string, size = 500): Parser => ({
  name: `query: ${name}`,
  size,
  input,
  parse: (text: string) => parseListQuery(collection, splitCursor(text).rest),
});

const PARSERS: readonly Parser[] = [
  query("one parameter again and again", (n) => many(n, () => "a", "&")),
  query("different parameters", (n) => many(n, (i) => `a${i}=1`, "&")),
  query("levels of a path", (n) => `${many(n, () => "a", ".")}=1`),
  query("levels of a declared path", (n) => `address${many(n, () => ".a")}=1`),
  query("levels of a sort key", (n) => `sort=${many(n, () => "a", ".")}`),
  query("sort keys", (n) => `sort=${many(n, (i) => `a${i}`, ",")}`),
  query("fields", (n) => `fields=${many(n, (i) => `a${i}`, ",")}`),
  query("one field again and again", (n) => `fields=${many(n, () => "a", ",")}`),
  query("values", (n) => `title_in=${many(n, (i) => `a${i}`, ",")}`),
  query("populate", (n) => `populate=${many(n, (i) => `a${i}`, ",")}`),
  query("underscores", (n) => `${many(n, () => "a_")}gt=1`),
  query("cursors", (n) => many(n, () => "cursor=a", "&")),
  query("escaped names", (n) => many(n, () => "%63ursor=a", "&")),
  {
    name: "where: depth",
    size: 500,
    input: (n) => `${many(n, () => '{"not":')}{"a":1}${many(n, () => "}")}`,
    parse: (text) => parseWhere(collection, text),
  },
  {
    name: "where: conditions",
    size: 500,
    input: (n) => `{"and":[${many(n, (i) => `{"a${i}":1}`, ",")}]}`,
    parse: (text) => parseWhere(collection, text),
  },
  {
    name: "JSON: depth",
    size: 5_000,
    input: (n) => many(n, () => "[") + many(n, () => "]"),
    parse: parseJson,
  },
  {
    name: "JSON: members",
    size: 5_000,
    input: (n) => `{${many(n, (i) => `"a${i}":0`, ",")}}`,
    parse: parseJson,
  },
  {
    name: "JSON: one member again and again",
    size: 5_000,
    input: (n) => `{${many(n, () => '"a":0', ",")}}`,
    parse: parseJson,
  },
  {
    name: "definition: fields",
    size: 1_000,
    input: (n) => many(n, (i) => `a${i}`, ","),
    parse: (text: string) =>
      parseDefinition({
        name: "posts",
        fields: text.split(",").map((key) => ({ key, type: "String" })),
      }),
  },
  {
    name: "document: members",
    size: 1_000,
    input: (n) => objectOf(n, (i) => `a${i}`),
    parse: (members) => fitWhole(collection, members),
  },
  {
    name: "document: members with faults",
    size: 1_000,
    input: (n) => objectOf(n, (i) => `$a${i}`),
    parse: (members) => fitWhole(collection, members),
  },
  {
    name: "changes: members",
    size: 1_000,
    input: (n) => objectOf(n, (i) => `a${i}`),
    parse: (members) => fitChanges(collection, members),
  },
  {
    name: "changes: paths",
    size: 1_000,
    input: (n) => objectOf(n, (i) => `a.b${i}.c`),
    parse: (members) => fitChanges(collection, members),
  },
  {
    name: "changes: paths within paths",
    size: 1_000,
    input: (n) => objectOf(n, (i) => `a.${many(i % 15, () => "b.")}c${i}`),
    parse: (members) => fitChanges(collection, members),
  },
  {
    name: "changes: levels of a path",
    size: 1_000,
    input: (n) => objectOf(1, () => many(n, () => "a", ".")),
    parse: (members) => fitChanges(collection, members),
  },
  {
    name: "pattern: length",
    size: 500,
    input: (n) => many(n, () => "[a-z]"),
    parse: patternProblem,
  },
  {
    name: "CSV: columns",
    size: 2_000,
    input: (n) => `${many(n, (i) => `a${i}`, ",")}\n${many(n, () => "1", ",")}`,
    parse: readCsv,
  },
  {
    name: "CSV: rows",
    size: 2_000,
    input: (n) => `a,b\n${many(n, (i) => `${i},x\n`)}`,
    parse: readCsv,
  },
  {
    name: "CSV: quotes",
    size: 2_000,
    input: (n) => `a\n${many(n, () => '"')}`,
    parse: readCsv,
  },
  {
    name: "form: fields",
    size: 2_000,
    input: (n) => many(n, (i) => `a${i}=1`, "&"),
    parse: formOf,
  },
  {
    name: "form: fields of a definition",
    size: 500,
    input: (n) => many(n, (i) => `${i}.key=a${i}&${i}.type=String`, "&"),
    parse: (text: string) => readDraft(new URLSearchParams(text)),
  },
  {
    name: "form: nested fields of a definition",
    size: 500,
    input: (n) => many(n, (i) => `0.fields.${i}.key=a${i}`, "&"),
    parse: (text: string) => readDraft(new URLSearchParams(text)),
  },
  {
    name: "form: fields of a document",
    size: 500,
    input: (n) => many(n, (i) => `f.a${i}=1&t.a${i}=String`, "&"),
    parse: (text: string) => readEntries(collection, null, new URLSearchParams(text)),
  },
  {
    name: "view: parameters",
    size: 500,
    input: (n) => many(n, (i) => `a${i}=1`, "&"),
    parse: (text: string) => viewText(readView("/dashboard", text)),
  },
  {
    name: "view: columns",
    size: 500,
    input: (n) => `columns=${many(n, (i) => `a${i}`, ",")}`,
    parse: (text: string) => viewText(readView("/dashboard", text)),
  },
  {
    name: "multipart: parts",
    size: 200,
    input: (n) => `${many(n, (i) => part(`a${i}`, "1"))}--x--\r\n`,
    parse: uploadForm,
  },
  {
    name: "multipart: headers before a file",
    size: 500,
    input: (n) => `--x\r\n${many(n, (i) => `a${i}: b\r\n`)}\r\n`,
    parse: (text: string) => {
      const headers = { contentType: BOUNDARY, contentLength: String(text.length) };
      return readFileForm(headers, chunksOf(text, 64));
    },
  },
  {
    name: "cookies",
    size: 2_000,
    input: (n) => many(n, (i) => `a${i}=b`, "; "),
    parse: (text: string) => [cookies.read(text, "x"), cookies.readAll(text, "x")],
  },
  {
    name: "cookies of ours",
    size: 2_000,
    input: (n) => many(n, (i) => `__Host-x${i}=b`, "; "),
    parse: (text: string) => [cookies.read(text, "x"), cookies.readAll(text, "x")],
  },
  {
    name: "cookies without names",
    size: 5_000,
    input: (n) => many(n, () => ";"),
    parse: (text: string) => [cookies.read(text, "x"), cookies.readAll(text, "x")],
  },
  {
    name: "Range: ranges",
    size: 2_000,
    input: (n) => `bytes=${many(n, (i) => `${i}-${i}`, ",")}`,
    parse: (text: string) => readRanges(text, 1e6),
  },
  {
    name: "Range: digits",
    size: 5_000,
    input: (n) => `bytes=${many(n, () => "1")}-`,
    parse: (text: string) => readRanges(text, 1e6),
  },
  {
    name: "Range: spaces",
    size: 5_000,
    input: (n) => `${many(n, () => " ")}x`,
    parse: (text: string) => readRanges(text, 1e6),
  },
  {
    name: "If-None-Match: tags",
    size: 2_000,
    input: (n) => many(n, (i) => `"a${i}"`, ", "),
    parse: (text: string) => namesTag(text, '"x"', true),
  },
  {
    name: "If-None-Match: quotes",
    size: 5_000,
    input: (n) => many(n, () => '"'),
    parse: (text: string) => namesTag(text, '"x"', true),
  },
  {
    name: "Accept-Encoding: entries",
    size: 2_000,
    input: (n) => many(n, (i) => `a${i};q=0`, ", "),
    parse: (text: string) => takesEncoding(text, "gzip"),
  },
  {
    name: "Accept-Encoding: parameters",
    size: 2_000,
    input: (n) => `gzip${many(n, () => ";q=1")}`,
    parse: (text: string) => takesEncoding(text, "gzip"),
  },
  {
    name: "X-Forwarded-For: entries",
    size: 5_000,
    input: (n) => many(n, () => "1.2.3.4", ", "),
    parse: clientOf,
  },
  {
    name: "X-Forwarded-For: one entry",
    size: 5_000,
    input: (n) => many(n, () => "1:"),
    parse: clientOf,
  },
  {
    name: "address: segments",
    size: 2_000,
    input: (n) => `http://localhost${many(n, () => "/%61")}`,
    parse: readAddress,
  },
  {
    name: "address: escapes in a segment",
    size: 2_000,
    input: (n) => `http://localhost/api/data/${many(n, () => "%41")}`,
    parse: readAddress,
  },
];

/** Below that, what a clock ticks is no measure. */
const MEASURED_MS = 4;

/** Processor time of one call; a refusal is an end as any other. */
async function timeOf(work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < 3; round++) {
    const began = processorMs();
    let calls = 0;
    for (; calls === 0 || processorMs() - began < MEASURED_MS; calls++) {
      try {
        await work();
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
      }
    }
    least = Math.min(least, (processorMs() - began) / calls);
  }
  return least;
}

const GROWTH = 16;
/** n log n grows by a fifth more than n here, and caches and collections by some; a square by 256. */
const TIMES_MAX = 3 * GROWTH;

for (const { name, size, input, parse } of PARSERS) {
  Deno.test(`${name}: time grows no faster than the input`, async () => {
    const [small, large] = [input(size), input(size * GROWTH)];
    await timeOf(() => parse(small)); // Compiled.
    const [one, other] = [await timeOf(() => parse(small)), await timeOf(() => parse(large))];
    const times = other / one;
    const told = `${one.toFixed(3)} ms, of ${GROWTH} times as much ${other.toFixed(3)} ms`;
    assert.ok(times <= TIMES_MAX, told);
  });
}

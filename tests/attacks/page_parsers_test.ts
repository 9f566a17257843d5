/** Tests every parser of page requests with growing inputs, like `parsers_test.ts`. */

import type { WriteAccess } from "@/lib/documents/access.ts";
import { readForm } from "@/lib/http/body.ts";
import { readFileForm } from "@/lib/http/file_form.ts";
import { readDraft } from "@/routes/dashboard/collections/draft_form.ts";
import { acceptsEncoding } from "@/routes/compression.ts";
import { readCsv } from "@/lib/operations/csv.ts";
import { readEntries } from "@/routes/dashboard/documents/entered.ts";
import { validateRows } from "@/lib/operations/import_rows.ts";
import { readUploadForm } from "@/routes/dashboard/documents/upload_form.ts";
import { readView, viewText } from "@/routes/dashboard/documents/view.ts";
import { BODY_BUDGET, collection, joinParts, type Parser, testGrowth } from "./growth.ts";

/** The only fields that reading rows needs. */
const target = { collection, ownerId: null } as WriteAccess;

const FORM = "application/x-www-form-urlencoded";
const BOUNDARY = "multipart/form-data; boundary=x";

const formOf = (text: string) =>
  readForm(
    new Request("http://localhost/", {
      method: "POST",
      body: text,
      headers: { "content-type": FORM },
    }),
    { bytesMax: 8 * 1_048_576, reservation: BODY_BUDGET, fieldsMax: 1e6 },
  );

async function* chunksOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield await bytes.subarray(at, at + size);
}

const uploadForm = (text: string) =>
  readUploadForm(
    { type: BOUNDARY, chunks: () => chunksOf(text, 65_536), hold: () => {} },
    8 * 1_048_576,
  );

/** Returns a form whose first line is its boundary. */
const boundedForm = (text: string) => {
  const boundary = text.slice(2, text.indexOf("\r\n"));
  const type = `multipart/form-data; boundary=${boundary}`;
  const chunks = () => chunksOf(text, 65_536);
  return readUploadForm({ type, chunks, hold: () => {} }, 8 * 1_048_576).catch(() => null);
};

const part = (name: string, value: string): string =>
  `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

const PARSERS: readonly Parser[] = [
  {
    name: "upload: a boundary and a text like it",
    size: 20,
    input: (n) => {
      const boundary = `b${joinParts(n, () => "a")}`;
      const head = 'content-disposition: form-data; name="text"';
      return `--${boundary}\r\n${head}\r\n\r\n${
        joinParts(1_000 * n, () => "a")
      }\r\n--${boundary}--`;
    },
    parse: boundedForm,
  },
  {
    name: "import: columns of a CSV",
    size: 500,
    input: (n) => `${joinParts(n, (i) => `a${i}`, ",")}\n${joinParts(n, () => "1", ",")}`,
    parse: (text: string) => validateRows(target, text),
  },
  {
    name: "import: rows of a CSV",
    size: 300,
    input: (n) => `a,b\n${joinParts(n, (i) => `${i},x\n`)}`,
    parse: (text: string) => validateRows(target, text),
  },
  {
    name: "import: rows of JSON",
    size: 300,
    input: (n) => `[${joinParts(n, (i) => `{"a":${i}}`, ",")}]`,
    parse: (text: string) => validateRows(target, text),
  },
  {
    name: "import: depth of JSON",
    size: 5_000,
    input: (n) => joinParts(n, () => "[") + joinParts(n, () => "]"),
    parse: (text: string) => validateRows(target, text),
  },
  {
    name: "CSV: columns",
    size: 2_000,
    input: (n) => `${joinParts(n, (i) => `a${i}`, ",")}\n${joinParts(n, () => "1", ",")}`,
    parse: readCsv,
  },
  {
    name: "CSV: rows",
    size: 2_000,
    input: (n) => `a,b\n${joinParts(n, (i) => `${i},x\n`)}`,
    parse: readCsv,
  },
  {
    name: "CSV: quotes",
    size: 2_000,
    input: (n) => `a\n${joinParts(n, () => '"')}`,
    parse: readCsv,
  },
  {
    name: "form: fields",
    size: 2_000,
    input: (n) => joinParts(n, (i) => `a${i}=1`, "&"),
    parse: formOf,
  },
  {
    name: "form: fields of a definition",
    size: 500,
    input: (n) => joinParts(n, (i) => `${i}.key=a${i}&${i}.type=String`, "&"),
    parse: (text: string) => readDraft(new URLSearchParams(text)),
  },
  {
    name: "form: nested fields of a definition",
    size: 500,
    input: (n) => joinParts(n, (i) => `0.fields.${i}.key=a${i}`, "&"),
    parse: (text: string) => readDraft(new URLSearchParams(text)),
  },
  {
    name: "form: fields of a document",
    size: 500,
    input: (n) => joinParts(n, (i) => `f.a${i}=1&t.a${i}=String`, "&"),
    parse: (text: string) => readEntries(collection, null, new URLSearchParams(text)),
  },
  {
    name: "view: parameters",
    size: 500,
    input: (n) => joinParts(n, (i) => `a${i}=1`, "&"),
    parse: (text: string) => viewText(readView("/dashboard", text)),
  },
  {
    name: "view: columns",
    size: 500,
    input: (n) => `columns=${joinParts(n, (i) => `a${i}`, ",")}`,
    parse: (text: string) => viewText(readView("/dashboard", text)),
  },
  {
    name: "multipart: parts",
    size: 200,
    input: (n) => `${joinParts(n, (i) => part(`a${i}`, "1"))}--x--\r\n`,
    parse: uploadForm,
  },
  {
    name: "multipart: headers before a file",
    size: 500,
    input: (n) => `--x\r\n${joinParts(n, (i) => `a${i}: b\r\n`)}\r\n`,
    parse: (text: string) => {
      const headers = { contentType: BOUNDARY, contentLength: String(text.length) };
      return readFileForm(headers, chunksOf(text, 64));
    },
  },
  {
    name: "Accept-Encoding: entries",
    size: 2_000,
    input: (n) => joinParts(n, (i) => `a${i};q=0`, ", "),
    parse: (text: string) => acceptsEncoding(text, "gzip"),
  },
  {
    name: "Accept-Encoding: parameters",
    size: 2_000,
    input: (n) => `gzip${joinParts(n, () => ";q=1")}`,
    parse: (text: string) => acceptsEncoding(text, "gzip"),
  },
];

testGrowth(PARSERS);

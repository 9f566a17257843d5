/**
 * Tests every parser of API requests with growing inputs: time must not grow quadratically, also
 * beyond the limit of a request.
 */

import { createCursors } from "@/lib/paging/cursor.ts";
import { parseDate } from "@/lib/dates.ts";
import { parseDefinition } from "@/lib/documents/definition.ts";
import { validateDocument } from "@/lib/documents/document.ts";
import { validateChanges } from "@/lib/documents/validate_changes.ts";
import { patternProblem } from "@/lib/text/pattern.ts";
import { matchesTag } from "@/lib/http/etags.ts";
import { parseListQuery, splitCursor } from "@/lib/documents/query.ts";
import { ConditionReader } from "@/lib/documents/condition_reader.ts";
import { parseWhere } from "@/lib/documents/where.ts";
import { canonicalEmail, isPlainEmail } from "@/lib/emails.ts";
import { createUploadTokens } from "@/lib/files/upload_tokens.ts";
import { readJson } from "@/lib/http/body.ts";
import { createCookies } from "@/lib/http/cookies.ts";
import { readAddress } from "@/lib/http/path.ts";
import { readRanges } from "@/lib/http/ranges.ts";
import { RequestState } from "@/lib/http/request.ts";
import { parseId } from "@/lib/ids.ts";
import { isReturnPath } from "@/lib/social/return_path.ts";
import { parseJson } from "@/lib/store/json_text.ts";
import { BODY_BUDGET, collection, joinParts, type Parser, testGrowth } from "./growth.ts";

const NOW = "2026-01-31T12:00:00.000Z";

const objectOf = (n: number, name: (i: number) => string, value: unknown = 0) =>
  Object.fromEntries(Array.from({ length: n }, (_, i) => [name(i), value])) as Record<
    string,
    never
  >;

const cursors = createCursors(["k".repeat(32)]);
const uploadTokens = createUploadTokens(["k".repeat(32)]);

const cookies = createCookies("https://corbel.example");
const options = { trustProxy: 2, publicUrl: "https://corbel.example" };
const connection = { remoteAddr: { hostname: "127.0.0.1" } };

const clientOf = (forwarded: string): string => {
  const headers = { "x-forwarded-for": forwarded };
  const request = new Request("http://localhost/", { headers });
  return new RequestState(request, connection, options).client;
};

const jsonOf = (body: string) =>
  readJson(
    new Request("http://localhost/", {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    }),
    { bytesMax: 8 * 1_048_576, reservation: BODY_BUDGET },
  );

const query = (name: string, input: (n: number) => string, size = 500): Parser => ({
  name: `query: ${name}`,
  size,
  input,
  parse: (text: string) => parseListQuery(collection, splitCursor(text).rest),
});

const PARSERS: readonly Parser[] = [
  query("a repeated parameter", (n) => joinParts(n, () => "a", "&")),
  query("different parameters", (n) => joinParts(n, (i) => `a${i}=1`, "&")),
  query("levels of a path", (n) => `${joinParts(n, () => "a", ".")}=1`),
  query("levels of a declared path", (n) => `address${joinParts(n, () => ".a")}=1`),
  query("levels of a sort key", (n) => `sort=${joinParts(n, () => "a", ".")}`),
  query("sort keys", (n) => `sort=${joinParts(n, (i) => `a${i}`, ",")}`),
  query("fields", (n) => `fields=${joinParts(n, (i) => `a${i}`, ",")}`),
  query("a repeated field", (n) => `fields=${joinParts(n, () => "a", ",")}`),
  query("values", (n) => `title_in=${joinParts(n, (i) => `a${i}`, ",")}`),
  query("populate", (n) => `populate=${joinParts(n, (i) => `a${i}`, ",")}`),
  query("underscores", (n) => `${joinParts(n, () => "a_")}gt=1`),
  query("cursors", (n) => joinParts(n, () => "cursor=a", "&")),
  query("escaped names", (n) => joinParts(n, () => "%63ursor=a", "&")),
  {
    name: "where: depth",
    size: 500,
    input: (n) => `${joinParts(n, () => '{"not":')}{"a":1}${joinParts(n, () => "}")}`,
    parse: (text) => parseWhere(new ConditionReader(collection), text),
  },
  {
    name: "where: conditions",
    size: 500,
    input: (n) => `{"and":[${joinParts(n, (i) => `{"a${i}":1}`, ",")}]}`,
    parse: (text) => parseWhere(new ConditionReader(collection), text),
  },
  {
    name: "JSON: depth",
    size: 5_000,
    input: (n) => joinParts(n, () => "[") + joinParts(n, () => "]"),
    parse: parseJson,
  },
  {
    name: "JSON: members",
    size: 2_500, // V8 stores objects of more than 50,000 members differently.
    input: (n) => `{${joinParts(n, (i) => `"a${i}":0`, ",")}}`,
    parse: parseJson,
  },
  {
    name: "JSON: one member again and again",
    size: 5_000,
    input: (n) => `{${joinParts(n, () => '"a":0', ",")}}`,
    parse: parseJson,
  },
  {
    name: "definition: fields",
    size: 1_000,
    input: (n) => joinParts(n, (i) => `a${i}`, ","),
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
    parse: (members) => validateDocument(collection, members),
  },
  {
    name: "document: members with faults",
    size: 1_200, // V8 stores smaller objects in a faster form.
    input: (n) => objectOf(n, (i) => `$a${i}`),
    parse: (members) => validateDocument(collection, members),
  },
  {
    name: "changes: members",
    size: 1_000,
    input: (n) => objectOf(n, (i) => `a${i}`),
    parse: (members) => validateChanges(collection, members, NOW),
  },
  {
    name: "changes: paths",
    size: 1_000,
    input: (n) => objectOf(n, (i) => `a.b${i}.c`),
    parse: (members) => validateChanges(collection, members, NOW),
  },
  {
    name: "changes: paths within paths",
    size: 1_000,
    input: (n) => objectOf(n, (i) => `a.${joinParts(i % 15, () => "b.")}c${i}`),
    parse: (members) => validateChanges(collection, members, NOW),
  },
  {
    name: "changes: operators",
    size: 1_000,
    input: (n) => objectOf(n, (i) => `a.b${i}`, { $unset: true }),
    parse: (members) => validateChanges(collection, members, NOW),
  },
  {
    name: "changes: elements of an operator",
    size: 1_000,
    input: (n) => objectOf(1, () => "a", { $addToSet: { $each: Array.from({ length: n }) } }),
    parse: (members) => validateChanges(collection, members, NOW),
  },
  {
    name: "changes: levels of a path",
    size: 1_000,
    input: (n) => objectOf(1, () => joinParts(n, () => "a", ".")),
    parse: (members) => validateChanges(collection, members, NOW),
  },
  {
    name: "pattern: length",
    size: 500,
    input: (n) => joinParts(n, () => "[a-z]"),
    parse: patternProblem,
  },
  {
    name: "pattern: groups in groups",
    size: 500,
    input: (n) => joinParts(n, () => "(?:") + joinParts(n, () => ")"),
    parse: patternProblem,
  },
  {
    name: "pattern: repeats",
    size: 10,
    input: (n) => joinParts(n, () => "a{100}"),
    parse: patternProblem,
  },
  {
    name: "JSON: names with escapes",
    size: 2_000,
    input: (n) => `{${joinParts(n, (i) => `"\\"${i}":0`, ",")}}`,
    parse: parseJson,
  },
  {
    name: "JSON body: values",
    size: 10_000,
    input: (n) => `[${joinParts(n, () => "[]", ",")}]`,
    parse: jsonOf,
  },
  {
    name: "JSON body: depth",
    size: 10_000,
    input: (n) => joinParts(n, () => "[") + joinParts(n, () => "]"),
    parse: jsonOf,
  },
  {
    name: "definition: values",
    size: 1_000,
    input: (n) => joinParts(n, () => "0", ","),
    parse: (text: string) => parseDefinition({ name: "posts", fields: text.split(",") }),
  },
  {
    name: "cursor: length",
    size: 5_000,
    input: (n) => joinParts(n, () => "A"),
    parse: (text: string) => cursors.read(text, "scope"),
  },
  {
    name: "cursor: parts",
    size: 5_000,
    input: (n) => joinParts(n, () => "A."),
    parse: (text: string) => cursors.read(text, "scope"),
  },
  {
    name: "upload token: parts",
    size: 5_000,
    input: (n) => joinParts(n, () => "A."),
    parse: (text: string) => uploadTokens.read(text),
  },
  {
    name: "e-mail address: length",
    size: 5_000,
    input: (n) => `${joinParts(n, () => "a")}@example.com`,
    parse: (text: string) => [isPlainEmail(text), canonicalEmail(text)],
  },
  {
    name: "e-mail address: marks on one letter",
    size: 5_000,
    input: (n) => `a${joinParts(n, (i) => i % 2 === 0 ? "\u0301" : "\u0323")}@example.com`,
    parse: (text: string) => [isPlainEmail(text), canonicalEmail(text)],
  },
  {
    name: "return_to: segments",
    size: 2_000,
    input: (n) => joinParts(n, () => "/.."),
    parse: (text: string) => isReturnPath(text, "https://app.example"),
  },
  {
    name: "return_to: escapes of escapes",
    size: 2_000,
    input: (n) => `/${joinParts(n, () => "%25")}2f`,
    parse: (text: string) => isReturnPath(text, "https://app.example"),
  },
  {
    name: "date: digits",
    size: 5_000,
    input: (n) => `2026-01-31T12:00:00.${joinParts(n, () => "0")}Z`,
    parse: parseDate,
  },
  {
    name: "id: length",
    size: 5_000,
    input: (n) => joinParts(n, () => "a"),
    parse: parseId,
  },
  {
    name: "cookies",
    size: 2_000,
    input: (n) => joinParts(n, (i) => `a${i}=b`, "; "),
    parse: (text: string) => [cookies.read(text, "x"), cookies.readAll(text, "x")],
  },
  {
    name: "cookies of ours",
    size: 2_000,
    input: (n) => joinParts(n, (i) => `__Host-x${i}=b`, "; "),
    parse: (text: string) => [cookies.read(text, "x"), cookies.readAll(text, "x")],
  },
  {
    name: "cookies without names",
    size: 5_000,
    input: (n) => joinParts(n, () => ";"),
    parse: (text: string) => [cookies.read(text, "x"), cookies.readAll(text, "x")],
  },
  {
    name: "Range: ranges",
    size: 2_000,
    input: (n) => `bytes=${joinParts(n, (i) => `${i}-${i}`, ",")}`,
    parse: (text: string) => readRanges(text, 1e6),
  },
  {
    name: "Range: digits",
    size: 5_000,
    input: (n) => `bytes=${joinParts(n, () => "1")}-`,
    parse: (text: string) => readRanges(text, 1e6),
  },
  {
    name: "Range: spaces",
    size: 5_000,
    input: (n) => `${joinParts(n, () => " ")}x`,
    parse: (text: string) => readRanges(text, 1e6),
  },
  {
    name: "If-None-Match: tags",
    size: 2_000,
    input: (n) => joinParts(n, (i) => `"a${i}"`, ", "),
    parse: (text: string) => matchesTag(text, '"x"', true),
  },
  {
    name: "If-None-Match: quotes",
    size: 5_000,
    input: (n) => joinParts(n, () => '"'),
    parse: (text: string) => matchesTag(text, '"x"', true),
  },
  {
    name: "X-Forwarded-For: entries",
    size: 5_000,
    input: (n) => joinParts(n, () => "1.2.3.4", ", "),
    parse: clientOf,
  },
  {
    name: "X-Forwarded-For: one entry",
    size: 5_000,
    input: (n) => joinParts(n, () => "1:"),
    parse: clientOf,
  },
  {
    name: "address: segments",
    size: 2_000,
    input: (n) => `http://localhost${joinParts(n, () => "/%61")}`,
    parse: readAddress,
  },
  {
    name: "address: escapes in a segment",
    size: 2_000,
    input: (n) => `http://localhost/api/data/${joinParts(n, () => "%41")}`,
    parse: readAddress,
  },
];

testGrowth(PARSERS);

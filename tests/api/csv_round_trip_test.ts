import assert from "node:assert/strict";
import { jsonText } from "@/lib/store/json_text.ts";
import type { Json } from "@/lib/store/port.ts";
import { openTestApp } from "../support/test_app.ts";
import { createTestCollection, type Doc, ok, refused } from "./test_collection.ts";
import { createTestOwner } from "./test_owner.ts";

const FIELDS = [
  { key: "name", type: "String", required: true },
  { key: "note", type: "String" },
  { key: "kind", type: "String", enum: ["a", "b"] },
  { key: "n", type: "Number" },
  { key: "on", type: "Boolean" },
  { key: "at", type: "Date" },
  { key: "ref", type: "Ref", ref: "posts" },
  { key: "list", type: "Array" },
  {
    key: "address",
    type: "Object",
    fields: [
      { key: "city", type: "String" },
      { key: "no", type: "Number" },
      { key: "geo", type: "Object", fields: [{ key: "lat", type: "Number" }] },
    ],
  },
];

const TEXTS = [
  "plain",
  "",
  " padded ",
  "null",
  "true",
  "007",
  "1e3",
  "9007199254740993",
  "=1+1",
  "'=1",
  "''-x",
  "a\n=1",
  "a\r\n- b",
  "a;+1,@x\t-y",
  'say "x", y;z',
  "line\nline\rline\r\nend\n",
  "\t",
  "\uFEFFmarked",
  "sep=;",
  "[1,2]",
  '{"a":1}',
  "größe 名前 😀",
];

const DOCUMENTS: readonly { readonly [name: string]: unknown }[] = [
  ...TEXTS.map((text, i) => ({
    name: text,
    note: TEXTS[TEXTS.length - 1 - i],
    list: [text, { [`k${i}`]: text }, -1, null],
    address: { city: text },
  })),
  ...[0, -0, 0.1, -5, 1e21, 1e-7, 2 ** 53, 2 ** 60, -1.7976931348623157e308, 5e-324]
    .map((n) => ({ name: "n", n, list: [n, [n]], address: { no: n, geo: { lat: n } } })),
  ...[true, false].map((on) => ({ name: "on", on })),
  { name: "date", kind: "a", at: "2026-01-31T12:00:00.123Z", ref: "66f1a0c2e4b0a1b2c3d4e5f6" },
  { name: "empty", list: [], address: {} },
];

const SERVER_FIELDS = ["_id", "createdAt", "updatedAt", "isDeleted", "deletedAt", "userId"];

/** Returns the members that the user wrote, without null, which counts as missing. */
const writtenMembers = (document: Doc) =>
  Object.fromEntries(
    Object.entries(document)
      .filter(([name, value]) => !SERVER_FIELDS.includes(name) && value !== null),
  );

async function openTwo() {
  const app = await openTestApp();
  const posts = await createTestCollection(app, { fields: FIELDS, strict: true });
  const owner = await createTestOwner(app, posts.project);
  const copies = await createTestCollection(
    app,
    { name: "copies", fields: FIELDS, strict: true },
    posts.project,
  );
  const fill = async (documents: readonly unknown[]) => {
    const body = jsonText(documents as Json[]); // `jsonText` keeps the sign of -0.
    ok(await posts.asSecret({ path: "/bulk", body }), 201);
  };
  /** Exports all posts as CSV, imports the text, and returns the text and the imported items. */
  const roundTrip = async (query = "") => {
    const path = `/collections/posts/documents.csv?sort=_id${query}`;
    const answer = await app.open({
      path: `/api/projects/${owner.projectId}${path}`,
      headers: { cookie: owner.account.cookie },
    });
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await answer.bytes());
    const imported = await owner.asOwner({ path: "/collections/copies/import", body: { text } });
    assert.deepEqual(ok(imported, 201).failed, []);
    const items = ok(await copies.asSecret({ path: "?sort=_id&limit=1000" })).items;
    return { text, items: items.map(writtenMembers) };
  };
  const before = async () =>
    ok(await posts.asSecret({ path: "?sort=_id&limit=1000" })).items.map(writtenMembers);
  return {
    app,
    owner,
    copies,
    fill,
    roundTrip,
    before,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

const sorted = (items: readonly object[]): string[] =>
  items.map((one) => JSON.stringify(one)).sort();

Deno.test("documents of every type are unchanged after a CSV round trip", async () => {
  await using two = await openTwo();
  await two.fill(DOCUMENTS);
  const { items } = await two.roundTrip();
  assert.deepEqual(sorted(items), sorted(await two.before()));
  const zeros = items.filter(({ n }: { n: unknown }) => n === 0);
  assert.ok(zeros.some(({ n }: { n: unknown }) => Object.is(n, -0)), "-0 keeps its sign");
});

Deno.test("columns for members of objects survive a CSV round trip, with a byte order mark", async () => {
  await using two = await openTwo();
  await two.fill(DOCUMENTS.filter(({ address }) => address !== undefined));
  const columns = "name,address.city,address.no,address.geo.lat";
  const { text, items } = await two.roundTrip(`&columns=${columns}&bom=true`);
  assert.ok(text.startsWith(`\uFEFF${columns}\r\n`), text.slice(0, 80));
  const wanted = (await two.before()).map(({ name, address }: Doc) => ({
    name,
    ...Object.keys(address as object).length > 0 && { address },
  }));
  assert.deepEqual(sorted(items), sorted(wanted));
});

Deno.test("a CSV round trip distinguishes null, missing and empty values as far as a CSV can", async () => {
  await using two = await openTwo();
  await two.fill([{ name: "" }, { name: "b", note: "" }, { name: "c", note: null, n: null }]);
  const { text, items } = await two.roundTrip("&columns=name,note,n");
  assert.equal(text, 'name,note,n\r\n"",,\r\nb,"",\r\nc,,\r\n');
  assert.deepEqual(sorted(items), sorted([{ name: "" }, { name: "b", note: "" }, { name: "c" }]));
});

Deno.test("importDocuments reads CSV in the dialects of spreadsheets, and refuses bad headers", async () => {
  await using two = await openTwo();
  const { owner, copies } = two;
  const importing = (text: string) =>
    owner.asOwner({ path: "/collections/copies/import", body: { text, dryRun: true } });
  const files = {
    "separators at the end of each line": "name;n;\nA;1;\nB;2;\n",
    "several of them": "name,n,,,\nA,1,,,\nB,2,,,\n,,,,\n",
    "only behind rows": "name,n\nA,1,\nB,2,\n",
    "a line that names the separator": "sep=;\r\nname;n\r\nA;1\r\nB;2\r\n",
    "a byte order mark": "\uFEFFname,n\nA,1\nB,2\n",
    "both": "\uFEFFsep=;\r\nname;n;\r\nA;1;\r\nB;2;\r\n",
    "all cells in quotes": '"name","n","kind","at","list"\n"A","1","","",""\n"B","2","","",""\n',
    "capitals and white space": "name;on;at\nA;TRUE; 2026-01-31 \nB; false;\n",
    "JSON with a byte order mark": '\uFEFF[{"name":"A"},{"name":"B"}]',
  };
  for (const [what, text] of Object.entries(files)) {
    const { stored, failed } = ok(await importing(text));
    assert.deepEqual({ what, stored, failed }, { what, stored: 2, failed: [] });
  }
  const surplus = ok(await importing("name,n\nA,1,x\n"));
  assert.match(surplus.failed[0].message, /3 cells for 2 columns/);
  const many = ok(await importing("name,n\n\nA,1\n,\n,x\n"));
  assert.deepEqual([many.rows, many.failed[0].row], [2, 3], "rows keep their numbers");
  await copies.untouched(async () => {
    for (
      const [header, says] of [
        ["name,,n", /Column 2 has no name/],
        ["name,address,address.city", /"address" and its part "address.city"/],
        ["name,address.geo,address.geo.lat", /"address.geo" and its part "address.geo.lat"/],
        ["name,a..b", /names "a\.\.b": a name is empty/],
        ["name,__proto__.x", /"__proto__" is reserved/],
        ["name,constructor.x", /"constructor" is reserved/],
        [`name,${"a.".repeat(200)}a`, /levels|longer/],
        ["name,name", /"name" twice/],
      ] as const
    ) refused(await importing(`${header}\nA,B,C\n`), 400, "INVALID_INPUT", says);
    const unknown = ok(await importing("name,address.town\nA,Rome\n"));
    assert.match(unknown.failed[0].message, /"address.town" is not declared/);
  });
});

import assert from "node:assert/strict";
import { listCollections } from "@/lib/documents/save_collection.ts";
import { assertHarmless, HOSTILE_TEXTS, type PageAnswer } from "../support/pages.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { openProjectPages } from "./project_pages.ts";

async function openFields(app: TestApp, definition: object = {}) {
  const pages = await openProjectPages(app);
  await pages.project.collection({ name: "posts", rls: { enabled: false }, ...definition });
  const path = `${pages.home}/collections/posts/fields`;
  return {
    ...pages,
    path,
    look: () => pages.dashboard.get(path),
    async stored() {
      const all = await listCollections(app.services, pages.project.projectId);
      return all.find(({ name }) => name === "posts")!;
    },
  };
}

const valueAt = ({ document }: PageAnswer, name: string) =>
  document.querySelector(`[name="${name}"]`)!.getAttribute("value");

const EVERYTHING = [
  { key: "title", type: "String", required: true, search: true, default: "" },
  { key: "slug", type: "String", unique: true },
  { key: "quoted", type: "String", default: '"said"\n' },
  { key: "views", type: "Number", index: true, default: -0.5 },
  { key: "open", type: "Boolean", default: false },
  { key: "at", type: "Date", default: "2026-01-31T12:00:00.000Z" },
  { key: "author", type: "Ref", ref: "users" },
  { key: "self", type: "Ref", ref: "posts", index: true },
  { key: "any", type: "Object" },
  { key: "bare", type: "Object", fields: [] },
  {
    key: "meta",
    type: "Object",
    default: { lang: "en" },
    fields: [
      { key: "lang", type: "String", required: true, index: true, default: "de" },
      { key: "seo", type: "Object", fields: [{ key: "title", type: "String" }] },
    ],
  },
  { key: "list", type: "Array" },
  { key: "tags", type: "Array", items: { type: "String" }, search: true, default: ["a", "b"] },
  { key: "refs", type: "Array", items: { type: "Ref", ref: "posts" } },
  { key: "grid", type: "Array", items: { type: "Array", items: { type: "Number" } } },
  {
    key: "links",
    type: "Array",
    items: { type: "Object", fields: [{ key: "url", type: "String", required: true }] },
  },
  { key: "status", type: "String", enum: ["draft", "live"], default: "draft" },
  { key: "odd", type: "String", enum: ["a, b", " c", "[d]", '"e"'] },
  { key: "sizes", type: "Array", items: { type: "String", enum: ["S", "M", "L"] } },
  { key: "cover", type: "String", file: true, onDelete: "remove" },
  { key: "pages", type: "Array", items: { type: "String" }, file: true },
];

Deno.test("saving an untouched form changes nothing, whatever is declared", async () => {
  await using app = await openTestApp();
  const indexes = [{ fields: ["title", "-views"] }, { fields: ["slug", "at"], unique: true }];
  for (const strict of [false, true]) {
    const definition = { fields: EVERYTHING, strict, indexes: strict ? indexes : [] };
    const { dashboard, look, stored } = await openFields(app, definition);
    const before = await stored();
    const saved = await dashboard.fill(await look(), "Save fields");
    assert.equal(saved.status, 303, saved.words);
    assert.deepEqual(await stored(), before);
    assert.match((await dashboard.follow(saved)).words, /The fields are saved/);
  }
});

Deno.test("indexes are lines: entries are kept, shown again, and faults are reported in place", async () => {
  await using app = await openTestApp();
  const { dashboard, look, stored } = await openFields(app, { fields: EVERYTHING });
  const lines = " title , -views\n\nUnique slug, at ";
  const saved = await dashboard.fill(await look(), "Save fields", { indexes: lines });
  assert.equal(saved.status, 303, saved.words);
  assert.deepEqual((await stored()).indexes, [
    { fields: ["title", "-views"], unique: false },
    { fields: ["slug", "at"], unique: true },
  ]);
  const textIn = (page: PageAnswer) =>
    page.document.querySelector('[name="indexes"]')!.textContent.trim();
  assert.equal(textIn(await look()), "title, -views\nunique slug, at");
  const refused = await dashboard.fill(await look(), "Save fields", { indexes: "title, nothing" });
  assert.equal(refused.status, 400);
  assert.match(refused.words, /indexes\.0 names "nothing", which is not declared/);
  assert.equal(textIn(refused), "title, nothing", "the entered text is kept");
  assert.equal((await stored()).indexes.length, 2);
});

Deno.test("fields of every type are added row by row, and saved only by the save button", async () => {
  await using app = await openTestApp();
  const { dashboard, look, stored, project } = await openFields(app);
  await project.collection({ name: "tags" });
  const empty = await look();
  assert.match(empty.words, /Nothing is declared/);
  let page = empty;
  const press = async (button: string, typed: Record<string, string> = {}) => {
    page = await dashboard.fill(page, button, typed);
  };
  await press("Add field");
  await press("Add field", { "0.key": "meta", "0.type": "Object" });
  await press("Add field to meta");
  await press("Add field", { "0.0.key": "lang", "0.0.default": "en" });
  await press("Add field", {
    "1.key": "links",
    "1.type": "Array",
    "2.key": "tag",
    "2.type": "Ref",
  });
  await press("Details: Elements of links", { "1.i.type": "Object", "2.ref": "tags" });
  await press("Add field to links.items");
  const more = { "1.i.0.key": "url", "1.i.0.required": "on", "3.key": "views", "3.type": "Number" };
  await press("Add field", more);
  await press("Remove the new field");
  assert.equal(page.status, 200);
  assert.deepEqual((await stored()).fields, []);
  const saved = await dashboard.fill(page, "Save fields", { "3.default": "0", strict: "on" });
  assert.equal(saved.status, 303, saved.words);
  const plain = { required: false, unique: false, index: false, search: false };
  assert.deepEqual(await stored(), {
    events: true,
    name: "posts",
    fields: [
      {
        key: "meta",
        type: "Object",
        ...plain,
        fields: [{ key: "lang", type: "String", ...plain, default: "en" }],
      },
      {
        key: "links",
        type: "Array",
        ...plain,
        items: {
          type: "Object",
          fields: [{ key: "url", type: "String", ...plain, required: true }],
        },
      },
      { key: "tag", type: "Ref", ...plain, ref: "tags" },
      { key: "views", type: "Number", ...plain, default: 0 },
    ],
    rls: { enabled: false, mode: "private", ownerField: "userId" },
    strict: true,
    indexes: [],
  });
});

const isStrict = ({ document }: PageAnswer) =>
  document.querySelector("[name=strict]")!.hasAttribute("checked");

Deno.test("a collection without documents becomes strict with its first field, as by the API", async () => {
  await using app = await openTestApp();
  for (const rls of [{ enabled: false }, { enabled: true, ownerField: "ownerId" }]) {
    const { dashboard, look, stored } = await openFields(app, { rls });
    const empty = await look();
    assert.equal(isStrict(empty), false);
    const first = await dashboard.fill(empty, "Add field");
    assert.equal(isStrict(first), true);
    assert.equal(
      (await stored()).strict,
      false,
      "nothing is saved before the save button is pressed",
    );
    const name = `${(await stored()).fields.length}.key`;
    const saved = await dashboard.fill(first, "Save fields", { [name]: "title" });
    assert.equal(saved.status, 303, saved.words);
    assert.equal((await stored()).strict, true);
  }
});

Deno.test("a collection stays open if that was selected or documents are stored", async () => {
  await using app = await openTestApp();
  const chosen = await openFields(app);
  const first = await chosen.dashboard.fill(await chosen.look(), "Add field");
  const second = await chosen.dashboard.fill(first, "Add field", { "0.key": "a", strict: [] });
  assert.equal(isStrict(second), false);
  const used = await openFields(app);
  await used.project.asSecret({ path: "/api/data/posts", body: { anything: 1 } });
  assert.equal(isStrict(await used.dashboard.fill(await used.look(), "Add field")), false);
});

Deno.test("a row is removed with its content, and stored values stay", async () => {
  await using app = await openTestApp();
  const { dashboard, look, stored, project } = await openFields(app, { fields: EVERYTHING });
  const document = { title: "a", slug: "s", links: [{ url: "u" }] };
  await project.asSecret({ path: "/api/data/posts", body: document });
  const page = await dashboard.fill(await look(), "Remove links");
  await dashboard.fill(await dashboard.fill(page, "Remove meta.lang"), "Save fields");
  const { fields } = await stored();
  assert.equal(fields.length, EVERYTHING.length - 1);
  const meta = fields.find(({ key }) => key === "meta")!;
  assert.deepEqual(meta.fields!.map(({ key }) => key), ["seo"]);
  const { body } = await project.asSecret({ path: "/api/data/posts" });
  assert.deepEqual(body.data.items[0].links, [{ url: "u" }]);
});

Deno.test("only text fields can be searched, and a field that changes its type no longer is", async () => {
  await using app = await openTestApp();
  const { dashboard, look, stored } = await openFields(app, {
    fields: [
      { key: "title", type: "String" },
      { key: "views", type: "Number" },
      { key: "meta", type: "Object", fields: [{ key: "about", type: "String" }] },
    ],
  });
  const page = await look();
  const boxes = [...page.document.querySelectorAll("input[name$='.search']")];
  assert.deepEqual(boxes.map((box) => box.getAttribute("name")), ["0.search", "2.0.search"]);
  await dashboard.fill(page, "Save fields", { "0.search": "on", "2.0.search": "on" });
  const [title, , meta] = (await stored()).fields;
  assert.deepEqual([title!.search, meta!.fields![0]!.search], [true, true]);
  await dashboard.fill(await look(), "Save fields", { "0.type": "Number" });
  const [number] = (await stored()).fields;
  assert.deepEqual([number!.type, number!.search], ["Number", false]);
});

Deno.test("text fields may hold files, which are kept or deleted with the document", async () => {
  await using app = await openTestApp();
  const { dashboard, look, stored } = await openFields(app, {
    fields: [
      { key: "title", type: "String" },
      { key: "cover", type: "String", file: true, onDelete: "remove" },
      { key: "pages", type: "Array", items: { type: "String" }, file: true },
      { key: "views", type: "Number" },
    ],
  });
  const page = await look();
  const chosen = [...page.document.querySelectorAll("select[name$='.file']")]
    .map((one) => one.querySelector("option[selected]")!.getAttribute("value"));
  assert.deepEqual(chosen, ["", "remove", "keep"]);
  await dashboard.fill(page, "Save fields", { "0.file": "keep", "1.file": "" });
  const fates = (await stored()).fields.map(({ file, onDelete }) => [file, onDelete]);
  assert.deepEqual(fates.slice(0, 3), [[true, undefined], [undefined, undefined], [
    true,
    undefined,
  ]]);
});

Deno.test("a refusal is shown next to its row, and all rows stay as entered", async () => {
  await using app = await openTestApp();
  const { dashboard, look, stored } = await openFields(app, { fields: EVERYTHING });
  const before = await stored();
  const page = await look();
  const cases: readonly (readonly [Record<string, string>, string, RegExp])[] = [
    [{ "0.key": "9" }, "0", /must begin with a letter/],
    [{ "0.key": "" }, "0", /must begin with a letter/],
    [{ "1.key": "title" }, "1", /declared twice/],
    [{ "0.key": "_id" }, "0", /set by the server|must begin/],
    [{ "3.default": "many" }, "3", /must be a Number/],
    [{ "4.default": "perhaps" }, "4", /must be true or false/],
    [{ "5.default": "soon" }, "5", /must be an ISO 8601/],
    [{ "10.default": "[]" }, "10", /must be an Object/],
    [{ "10.default": '{"lang" 1}' }, "10", /meta" is not valid JSON \(line 1, column 9: a colon/],
    [{ "12.default": '["a",]' }, "12", /tags" is not valid JSON \(line 1, column 6: .*too many/],
    [{ "3.default": "9007199254740993" }, "3", /" has the integer 9007199254740993, which/],
    [{ "17.enum": '["a" "b"]' }, "17", /odd" is not valid JSON \(line 1, column 6: a comma/],
    [{ "6.ref": "" }, "6", /needs "ref"/],
    [{ "6.ref": "nothing" }, "6", /does not exist/],
    [{ "4.unique": "on" }, "4", /cannot be unique/],
    [{ "10.default": "", "10.0.key": "a.b" }, "10.0", /must begin with a letter/],
    [
      { "10.1.0.type": "Object", "10.1.0.0.type": "Object", "10.1.0.0.key": "deep" },
      "10.1.0.0",
      /deeper/,
    ],
    [{ "13.i.ref": "" }, "13", /needs "ref"/],
    [{ "15.i.0.key": "u.rl" }, "15.i.0", /must begin with a letter/],
    ...HOSTILE_TEXTS.map((text) => [{ "1.key": text }, "1", /must begin with a letter/] as const),
    ...HOSTILE_TEXTS.map((text) => [{ "3.default": text }, "3", /must be a Number/] as const),
  ];
  for (const [change, place, why] of cases) {
    const refused = await dashboard.fill(page, "Save fields", change);
    assert.equal(refused.status, 400, refused.words);
    const alerts = [...refused.document.querySelectorAll("[role=alert]")];
    assert.equal(alerts.length, 1, JSON.stringify(change));
    assert.match(alerts[0]!.textContent, why);
    const row = alerts[0]!.closest("li")!;
    const name = row.querySelector("input")!.getAttribute("name");
    assert.equal(name, `${place}.key`, JSON.stringify(change));
    for (const [field, value] of Object.entries(change)) {
      if (!field.endsWith("type") && !field.endsWith("ref") && value !== "on") {
        assert.equal(valueAt(refused, field), value);
      }
    }
    assert.equal(valueAt(refused, "2.default"), valueAt(page, "2.default"));
    assertHarmless(refused);
  }
  assert.deepEqual(await stored(), before);
});

Deno.test("stored documents that do not fit are named next to the field", async () => {
  await using app = await openTestApp();
  const fields = [{ key: "slug", type: "String" }, { key: "views", type: "String" }];
  const { dashboard, look, stored, project } = await openFields(app, { fields });
  for (const views of ["1", "many"]) {
    await project.asSecret({ path: "/api/data/posts", body: { slug: "same", views } });
  }
  const before = await stored();
  const page = await look();
  const mistyped = await dashboard.fill(page, "Save fields", { "1.type": "Number" });
  assert.equal(mistyped.status, 409);
  const alert = mistyped.document.querySelector("li [role=alert]")!;
  assert.match(alert.textContent, /"views" must be a Number/);
  assert.equal(alert.closest("li")!.querySelector("input")!.getAttribute("value"), "views");
  const twice = await dashboard.fill(page, "Save fields", { "0.unique": "on" });
  assert.equal(twice.status, 409);
  assert.match(
    twice.document.querySelector("li [role=alert]")!.textContent,
    /"slug" is not unique/,
  );
  assert.deepEqual(await stored(), before);
});

Deno.test("row rules are unchanged, even if they changed after the form was created", async () => {
  await using app = await openTestApp();
  const { dashboard, look, stored } = await openFields(app, { rls: { mode: "public-read" } });
  const page = await look();
  const access = await dashboard.get(
    (await look()).document
      .querySelector('.tabs a[href$="/access"]')!.getAttribute("href")!,
  );
  await dashboard.fill(access, "Save access", { access: "private" });
  await dashboard.fill(page, "Save fields", { "0.required": "on" });
  const { rls, fields } = await stored();
  assert.equal(rls.mode, "private");
  assert.equal(fields[0]!.required, true);
});

Deno.test("200 fields are one page of moderate size, and one more is refused", async () => {
  await using app = await openTestApp();
  const fields = Array.from({ length: 200 }, (_, i) => ({ key: `field${i}`, type: "String" }));
  const { dashboard, look } = await openFields(app, { fields });
  const page = await look();
  assert.equal([...page.document.querySelectorAll("ul.fields > li")].length, 200);
  const packed = new Blob([page.text]).stream().pipeThrough(new CompressionStream("gzip"));
  const { byteLength } = await new Response(packed).arrayBuffer();
  assert.ok(byteLength < 34_000, `${byteLength} bytes`);
  const more = await dashboard.fill(page, "Add field");
  assert.equal([...more.document.querySelectorAll("ul.fields > li")].length, 201);
  assert.ok(more.document.querySelector('[name="200.key"]')!.hasAttribute("autofocus"));
  const refused = await dashboard.fill(more, "Save fields", { "200.key": "last" });
  assert.equal(refused.status, 400);
  assert.match(refused.document.querySelector("[role=alert]")!.textContent, /up to 200 fields/);
});

Deno.test("a form with more rows than any page creates is refused", async () => {
  await using app = await openTestApp();
  const { dashboard, path } = await openFields(app);
  const rows = Array.from({ length: 1001 }, (_, i) => [`${i}.type`, "String"] as const);
  const refused = await dashboard.submit(path, Object.fromEntries(rows));
  assert.equal(refused.status, 400);
  const odd = { "0.0.0.0.0.0.0.0.0.0.0.type": "Object", "x.type": "String", "0.type": "String" };
  const shown = await dashboard.submit(path, { ...odd, act: "remove:7.7" });
  assert.equal([...shown.document.querySelectorAll("ul.fields > li")].length, 1);
});

Deno.test("a renamed field keeps its values and its indexes", async () => {
  await using app = await openTestApp();
  const { dashboard, look, stored, project } = await openFields(app, {
    fields: [
      { key: "title", type: "String", index: true },
      { key: "views", type: "Number" },
      { key: "meta", type: "Object", fields: [{ key: "lang", type: "String" }] },
    ],
    indexes: [{ fields: ["views", "-title"] }],
  });
  const documents = () => project.asSecret({ path: "/api/data/posts" });
  await project.asSecret({
    path: "/api/data/posts",
    body: { title: "a", views: 3, meta: { lang: "en" } },
  });
  const page = await look();
  assert.match(page.words, /Renaming moves its values/);
  const typed = { "0.key": "headline", "1.key": "reads", "2.0.key": "language" };
  const saved = await dashboard.fill(
    await dashboard.fill(page, "Add field", typed),
    "Save fields",
    {
      "3.key": "fresh",
    },
  );
  assert.equal(saved.status, 303, saved.words);
  const { fields, indexes } = await stored();
  assert.deepEqual(fields.map(({ key }) => key), ["headline", "reads", "meta", "fresh"]);
  assert.deepEqual(indexes, [{ fields: ["reads", "-headline"], unique: false }]);
  const [{ headline, reads, meta, ...rest }] = (await documents()).body.data.items;
  assert.deepEqual([headline, reads, meta], ["a", 3, { lang: "en" }]);
  assert.ok(!("title" in rest) && !("views" in rest));
});

Deno.test("names that two fields exchange are refused at their row, and nothing is saved", async () => {
  await using app = await openTestApp();
  const { dashboard, look, stored } = await openFields(app, {
    fields: [{ key: "a", type: "String" }, { key: "b", type: "String" }],
  });
  const before = await stored();
  const refused = await dashboard.fill(await look(), "Save fields", { "0.key": "b", "1.key": "a" });
  assert.equal(refused.status, 400);
  assert.match(refused.words, /"b" is renamed from "a", which is still declared/);
  assert.equal(valueAt(refused, "0.key"), "b");
  assert.deepEqual(await stored(), before);
});

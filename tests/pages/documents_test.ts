import assert from "node:assert/strict";
import { assertHarmless, HOSTILE_TEXTS, openDashboard } from "../support/pages.ts";
import { column, linkOf, manyDocuments, openPosts, texts } from "./posts.ts";

const apiPath = (page: Parameters<typeof texts>[0]) => texts(page, "footer.view-call code")[0]!;

Deno.test("a page shows 25 rows, their number, and the equivalent call", async () => {
  await using posts = await openPosts();
  await posts.add(...manyDocuments(60));
  const page = await posts.dashboard.get(posts.path);
  assert.equal(page.status, 200);
  assert.equal(column(page, 2).length, 25);
  assert.equal(column(page, 2)[0], "Post 059", "the newest first");
  assert.match(page.words, /1–25 of 60/);
  assert.equal(apiPath(page), "/api/data/posts?limit=25");
  assert.equal((await posts.list(apiPath(page).split("?")[1])).length, 25);
  assert.deepEqual(texts(page, "thead th")[2], "views number");
  assertHarmless(page);
});

Deno.test("paging in both directions uses the cursors of the list", async () => {
  await using posts = await openPosts();
  await posts.add(...manyDocuments(60));
  const { dashboard, path } = posts;
  const first = await dashboard.get(`${path}?views_gte=100&sort=views`);
  const second = await dashboard.get(linkOf(first, "Next ›"));
  assert.match(second.words, /26–50 of 59/);
  assert.equal(column(second, 2)[0], "Post 026");
  const query = apiPath(second).split("?")[1]!;
  assert.match(query, /cursor=/);
  assert.deepEqual((await posts.list(query)).map(({ title }) => title), column(second, 2));
  const third = await dashboard.get(linkOf(second, "Next ›"));
  assert.match(third.words, /51–59 of 59/);
  assert.equal(third.document.querySelector("button[disabled]")?.textContent, "Next ›");
  const back = await dashboard.get(linkOf(third, "‹ Previous"));
  assert.deepEqual(column(back, 2), column(second, 2));
  assert.match(back.words, /26–50 of 59/);
  const start = await dashboard.get(linkOf(back, "‹ Previous"));
  assert.match(start.words, /1–25 of 59/);
});

Deno.test("a header sorts ascending, descending, then not at all, and says so", async () => {
  await using posts = await openPosts();
  await posts.add(...manyDocuments(5));
  const { dashboard, path } = posts;
  const page = await dashboard.get(`${path}?status=published`);
  assert.equal(page.document.querySelector("[aria-sort]")?.textContent, "createdAt ↓");
  const up = await dashboard.get(linkOf(page, "views"));
  assert.equal(apiPath(up), "/api/data/posts?status=published&sort=views&limit=25");
  assert.equal(up.document.querySelector("[aria-sort=ascending] a")?.textContent, "views ↑");
  const down = await dashboard.get(linkOf(up, "views ↑"));
  assert.deepEqual(column(down, 4), ["400", "200", "100"]);
  const none = await dashboard.get(linkOf(down, "views ↓"));
  assert.equal(apiPath(none), "/api/data/posts?status=published&limit=25");
  const oldest = await dashboard.get(linkOf(none, "createdAt ↓"));
  assert.match(apiPath(oldest), /sort=createdAt&/);
  assert.match(apiPath(await dashboard.get(linkOf(oldest, "createdAt ↑"))), /published&limit=25$/);
});

Deno.test("a filter is added by a form of the field's type, changed by its chip, and removed", async () => {
  await using posts = await openPosts();
  await posts.add(...manyDocuments(6));
  const { dashboard, path } = posts;
  const page = await dashboard.get(path);
  const asked = await dashboard.follow(await dashboard.fill(page, "views number"));
  const choices = texts(asked, "select[name=choice] option");
  assert.ok(choices.includes("is more than") && !choices.includes("matches"), choices.join());
  const added = await dashboard.fill(asked, "Add filter", { choice: "gt", value: "100" });
  assert.equal(added.location, `${path}?views_gt=100`);
  const filtered = await dashboard.follow(added);
  assert.deepEqual(texts(filtered, ".chip"), ["views is more than 100×"]);
  assert.match(filtered.words, /1–4 of 4/);
  const open = await dashboard.get(linkOf(filtered, "Change views is more than 100"));
  assert.equal(open.document.querySelector("input[name=value]")?.getAttribute("value"), "100");
  assert.equal(open.document.querySelector("main option[selected]")?.getAttribute("value"), "gt");
  const changed = await dashboard.fill(open, "Change filter", { value: "300" });
  assert.equal(changed.location, `${path}?views_gt=300`);
  const all = await dashboard.get(
    linkOf(await dashboard.follow(changed), "Remove views is more than 300"),
  );
  assert.match(all.words, /of 6/);
});

Deno.test("filters take the type of their field: dates in UTC, lists, presence", async () => {
  await using posts = await openPosts({
    fields: [
      { key: "at", type: "Date" },
      { key: "tags", type: "Array", items: { type: "String" } },
      { key: "live", type: "Boolean" },
      { key: "sort", type: "Number" },
      { key: "checked", type: "Number" },
      { key: "checked_gt", type: "Number" },
    ],
  });
  const { dashboard, path } = posts;
  const leadsTo = async (field: string, choice: string, value: string) => {
    const query = new URLSearchParams({ view: "", field, choice, value });
    const { location } = await dashboard.get(`${path}/filter?${query}`);
    const page = await dashboard.get(location!);
    assert.equal(page.status, 200, page.words);
    return decodeURIComponent(location!.slice(path.length));
  };
  assert.equal(await leadsTo("at", "gte", "2026-01-31T12:00"), "?at_gte=2026-01-31T12:00Z");
  assert.equal(await leadsTo("tags", "eq", "rules"), "?tags=rules");
  assert.equal(await leadsTo("live", "eq", "true"), "?live=true");
  assert.equal(await leadsTo("at", "exists false", ""), "?at_exists=false");
  assert.equal(await leadsTo("sort", "eq", "5"), '?where={"sort":{"eq":5}}');
  assert.equal(await leadsTo("checked", "gt", "5"), '?where={"checked":{"gt":5}}');
});

Deno.test("a grid with search fields has a search box, which keeps the filters", async () => {
  await using posts = await openPosts({
    fields: [
      { key: "title", type: "String", search: true },
      { key: "tags", type: "Array", items: { type: "String" }, search: true },
      { key: "views", type: "Number" },
    ],
  });
  await posts.add(
    { title: "On bread", tags: ["baking"], views: 1 },
    { title: "On brass", tags: [], views: 2 },
    { title: "On clocks", tags: ["bread"], views: 3 },
  );
  const { dashboard, path } = posts;
  const page = await dashboard.get(`${path}?views_lt=3&sort=views`);
  const box = page.document.querySelector("form.search input[name=search]")!;
  assert.equal(box.getAttribute("placeholder"), "Search title, tags");
  const sought = await dashboard.fill(page, "Search", { search: " BREAD & " });
  assert.equal(sought.location, `${path}?views_lt=3&sort=views&search=BREAD+%26`);
  const found = await dashboard.follow(sought);
  assert.deepEqual(column(found, 2), ["On bread"]);
  assert.deepEqual(texts(found, ".chip"), ["views is less than 3×"]);
  assert.match(apiPath(found), /search=BREAD/);
  const kept = found.document.querySelector("form.search input[name=search]")!;
  assert.equal(kept.getAttribute("value"), "BREAD &");
  const all = await dashboard.get(linkOf(found, "Remove views is less than 3"));
  assert.equal(column(all, 2).length, 2);
  const none = await dashboard.get(`${path}?search=nothing`);
  assert.equal(linkOf(none, "Clear filters"), path);
  const emptied = await dashboard.fill(found, "Search", { search: "  " });
  assert.equal(emptied.location, `${path}?views_lt=3&sort=views`);

  const wordless = await dashboard.get(`${path}?search=%3F%21`);
  assert.equal(wordless.status, 400);
  assert.match(texts(wordless, "[role=alert]")[0]!, /"search" has no word/);
  assert.equal(
    (await dashboard.follow(await dashboard.fill(wordless, "Search", { search: "" }))).status,
    200,
  );
});

Deno.test("without search fields the box searches the first text field", async () => {
  await using posts = await openPosts();
  await posts.add(...manyDocuments(12));
  const { dashboard, path } = posts;
  const page = await dashboard.get(`${path}?status=draft`);
  const box = (of: typeof page) => of.document.querySelector("form.search input[name=search]")!;
  assert.equal(box(page).getAttribute("placeholder"), "Search title");
  const sought = await dashboard.fill(page, "Search", { search: " T 00 " });
  assert.equal(sought.location, `${path}?status=draft&title_contains=T+00`);
  const found = await dashboard.follow(sought);
  assert.deepEqual(column(found, 2), ["Post 009", "Post 006", "Post 003", "Post 000"]);
  assert.equal(box(found).getAttribute("value"), "T 00");
  assert.deepEqual(texts(found, ".chip"), ["status is draft×", "title contains T 00×"]);
  const other = await dashboard.fill(found, "Search", { search: "009" });
  assert.equal(other.location, `${path}?status=draft&title_contains=009`);
  const emptied = await dashboard.fill(found, "Search", { search: "" });
  assert.equal(emptied.location, `${path}?status=draft`);
});

Deno.test("without text fields there is no search box, unless the address searches", async () => {
  await using posts = await openPosts({ fields: [{ key: "views", type: "Number" }] });
  const { dashboard, path } = posts;
  const box = "form.search";
  assert.equal((await dashboard.get(path)).document.querySelector(box), null);
  const refused = await dashboard.get(`${path}?search=x`);
  assert.equal(refused.status, 400);
  assert.match(texts(refused, "[role=alert]")[0]!, /no field to search/);
  assert.equal((await dashboard.fill(refused, "Search", { search: "" })).location, path);
});

Deno.test("lists show their first elements and the number of the others", async () => {
  await using posts = await openPosts();
  await posts.add({ title: "A", tags: ["a", "b", "c", "d", "e", "f"] }, { title: "B", tags: [] });
  const page = await posts.dashboard.get(`${posts.path}?.columns=title,tags&sort=title`);
  assert.deepEqual(texts(page, "tbody .badge"), ["a", "b", "c", "d"]);
  assert.deepEqual(texts(page, "tbody .elements small"), ["+2"]);
  assert.deepEqual(column(page, 3), ["abcd+2", "—"]);
});

Deno.test("a text with fixed values is a choice, and other stored values are shown", async () => {
  const status = { key: "status", type: "String", enum: ["draft", "live"], default: "draft" };
  await using posts = await openPosts({ fields: [{ key: "title", type: "String" }, status] });
  const { dashboard, path } = posts;
  const form = await dashboard.get(`${path}/new`);
  assert.deepEqual(texts(form, "select[name='f.status'] option"), ["—", "draft", "live"]);
  assert.match(form.words, /draft where it is left empty/);
  await dashboard.fill(form, "Create document", { "f.title": "A" });
  await dashboard.fill(form, "Create document", { "f.title": "B", "f.status": "live" });
  assert.deepEqual((await posts.list("sort=title")).map(({ status }) => status), ["draft", "live"]);
  const refused = await dashboard.fill(form, "Create document", { "f.status": "lively" });
  assert.equal(refused.status, 400);
  assert.match(texts(refused, ".member-fault")[0]!, /status must be one of "draft", "live"/);
  assert.deepEqual(texts(refused, "select[name='f.status'] option[selected]"), ["lively"]);
  const asked = await dashboard.get(`${path}?.field=status`);
  assert.deepEqual(
    [...asked.document.querySelectorAll("datalist option")].map((one) => one.getAttribute("value")),
    ["draft", "live"],
  );
});

Deno.test("a refused query is reported with its filters, which can be changed", async () => {
  await using posts = await openPosts();
  await posts.add(...manyDocuments(2));
  const refused = await posts.dashboard.get(`${posts.path}?views_gt=abc&status=draft`);
  assert.equal(refused.status, 400);
  assert.match(texts(refused, "[role=alert]")[0]!, /"views_gt" must be a number/);
  const mended = await posts.dashboard.get(linkOf(refused, "Remove views is more than abc"));
  assert.equal(mended.status, 200);
  assert.match(mended.words, /1–1 of 1/);
  assert.equal((await posts.dashboard.get(`${posts.path}?cursor=nonsense`)).status, 400);
  assert.equal((await posts.dashboard.get(`${posts.path}?count=true&explain=true`)).status, 200);
});

Deno.test("columns are selected, kept in the address and not sent to the list", async () => {
  await using posts = await openPosts();
  await posts.add({ title: "A", views: 7, extra: "undeclared one", meta: { lang: "de" } });
  const { dashboard, path } = posts;
  const page = await dashboard.get(`${path}?views=7`);
  const chosen = await dashboard.fill(page, "Show these", {
    column: ["meta.lang", "extra", "_id"],
  });
  assert.equal(chosen.location, `${path}?views=7&.columns=meta.lang%2Cextra%2C_id`);
  const shown = await dashboard.follow(chosen);
  assert.deepEqual(texts(shown, "thead th"), ["meta.lang text", "extra undeclared", "_id"]);
  assert.deepEqual(column(shown, 2), ["de"]);
  assert.equal(apiPath(shown), "/api/data/posts?views=7&limit=25");
  const sorted = await dashboard.get(linkOf(shown, "meta.lang"));
  assert.deepEqual(texts(sorted, "thead th")[0], "meta.lang ↑ text");
});

Deno.test("an empty grid says what to do next", async () => {
  await using posts = await openPosts();
  const { dashboard, path } = posts;
  const empty = await dashboard.get(path);
  assert.match(empty.words, /There are no documents yet/);
  assert.equal(linkOf(empty, "Create the first one"), `${path}/new`);
  await posts.add(...manyDocuments(1));
  const none = await dashboard.get(`${path}?title=nothing&.columns=title`);
  assert.match(none.words, /No document matches/);
  assert.equal(linkOf(none, "Clear filters"), `${path}?.columns=title`);
  const trash = await dashboard.get(linkOf(none, "Trash"));
  assert.match(trash.words, /The trash is empty/);
});

Deno.test("a viewer sees all rows and cannot change them; a stranger sees nothing", async () => {
  await using posts = await openPosts();
  const [id] = await posts.add({ title: "A", userId: "aaaaaaaaaaaaaaaaaaaaaaaa" });
  const { path } = posts;
  const viewer = await posts.other("viewer");
  const page = await viewer.get(path);
  assert.deepEqual(column(page, 1), ["A"]);
  assert.doesNotMatch(page.words, /New document|Import|Delete|Ask/);
  assert.equal(page.document.querySelector("input[type=checkbox][name=id]"), null);
  for (
    const refused of [
      await viewer.submit(`${path}/documents`, { act: "delete", sure: "yes", id: id! }),
      await viewer.submit(`${path}/ask`, { prompt: "all" }),
      await viewer.get(`${path}/import`),
      await viewer.get(`${path}/new`),
      await viewer.submit(`${path}/new`, { "f.title": "B" }),
      await viewer.submit(`${path}/documents/${id}`, { "f.title": "B" }),
    ]
  ) assert.equal(refused.status, 403);
  assert.deepEqual((await posts.list()).map(({ title }) => title), ["A"]);
  const stranger = await posts.other(null);
  for (const one of [path, `${path}/export`, `${path}/documents/${id}`, `${path}/new`]) {
    assert.equal((await stranger.get(one)).status, 404, one);
    assert.equal((await openDashboard(posts.app).get(one)).status, 303, one);
  }
  assert.equal((await posts.dashboard.get(`${path}x`)).status, 404);
});

Deno.test("hostile texts in documents, names, addresses and filters are shown as text", async () => {
  await using posts = await openPosts();
  const { dashboard, path } = posts;
  await posts.add(...HOSTILE_TEXTS.map((text, i) => ({
    title: text,
    status: text,
    tags: [text],
    meta: { lang: text },
    [`undeclared ${text.replaceAll(/[.$]/g, "")}`]: { inner: text },
    slug: `${i}${text}`,
  })));
  const page = await dashboard.get(`${path}?.columns=title,status,tags,meta,userId`);
  assert.deepEqual(column(page, 2).toSorted(), HOSTILE_TEXTS.toSorted());
  assertHarmless(page);
  const [document] = await posts.list();
  for (const text of HOSTILE_TEXTS) {
    const asked = new URLSearchParams([["title", text], [text, text], [".columns", text], [
      ".done",
      text,
    ]]);
    assertHarmless(await dashboard.get(`${path}?${asked}`));
    assertHarmless(await dashboard.get(`${path}/documents/${document._id}?as=json`));
    assertHarmless(
      await dashboard.submit(`${path}/documents`, { act: "delete", id: document._id, view: text }),
    );
  }
  for (const { _id } of await posts.list()) {
    assertHarmless(await dashboard.get(`${path}/documents/${_id}`));
  }
});

Deno.test("200 fields can be selected from, and a page of them stays small", async () => {
  await using posts = await openPosts({
    rls: { enabled: false },
    fields: Array.from({ length: 200 }, (_, i) => ({ key: `field_${i}`, type: "String" })),
  });
  const row = Object.fromEntries(
    Array.from({ length: 200 }, (_, i) => [`field_${i}`, `text ${i}`]),
  );
  await posts.add(...Array.from({ length: 30 }, () => row));
  const page = await posts.dashboard.get(posts.path);
  assert.equal(texts(page, "thead th").length, 7);
  assert.equal(texts(page, "input[name=column]").length, 204);
  assert.ok(page.text.length < 100_000, String(page.text.length));
});

Deno.test("a repeated page shows every change since, in the grid and in the sidebar", async () => {
  await using posts = await openPosts();
  const { dashboard, path } = posts;
  await posts.add(...manyDocuments(3));
  const first = await dashboard.get(path);
  // The position of the live list may still advance.
  assert.equal((await dashboard.get(path)).words, first.words);
  const [id] = await posts.add({ title: "new" });
  const second = await dashboard.get(path);
  assert.equal(column(second, 2)[0], "new");
  assert.equal(texts(second, "nav a[aria-current] small")[0], "4");
  await dashboard.submit(`${path}/documents/${id}`, { "f.title": "newer", etag: "*" });
  assert.equal(column(await dashboard.get(path), 2)[0], "newer");
  await posts.define({ name: "notes" });
  assert.match((await dashboard.get(path)).words, /notes/);
  const viewer = await posts.other("viewer");
  assert.doesNotMatch((await viewer.get(path)).words, /New document/);
});

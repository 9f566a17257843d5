import assert from "node:assert/strict";
import type { Space } from "@/lib/store/port.ts";
import { assertHarmless, HOSTILE_TEXTS, type PageAnswer, textAreaValue } from "../support/pages.ts";
import { linkOf, openPosts, texts } from "./posts.ts";

const AUTHOR = "aaaaaaaaaaaaaaaaaaaaaaaa";
const EVERY_FIELD = {
  title: "  two\nlines",
  status: "",
  views: -0,
  live: false,
  at: "2026-01-31T12:00:00.125Z",
  meta: { lang: "de", more: [1, null] },
  tags: ["a", "b"],
  author: AUTHOR,
  slug: null,
  extra: { kept: true },
};

/** Returns the form's field of a member, found by its label. */
function field(page: PageAnswer, key: string) {
  const label = [...page.document.querySelectorAll(".member label")]
    .find(({ textContent }) => textContent.trim().split(/\s/)[0] === key)!;
  const input = page.document.querySelector(`#${label.getAttribute("for")}`)!;
  const fault = input.getAttribute("aria-describedby");
  return { input, fault: fault && page.document.querySelector(`#${fault}`)!.textContent };
}

Deno.test("each type has its own field, and an untouched value is stored unchanged", async () => {
  await using posts = await openPosts();
  const [id] = await posts.add(EVERY_FIELD);
  const before = await posts.get(id!);
  const { dashboard, path } = posts;
  const page = await dashboard.get(`${path}/documents/${id}`);
  const type = (key: string) => {
    const { input } = field(page, key);
    return input.getAttribute("type") ?? input.tagName.toLowerCase();
  };
  assert.deepEqual(
    ["title", "views", "live", "at", "meta", "tags", "author", "extra"].map(type),
    ["textarea", "number", "select", "datetime-local", "textarea", "textarea", "input", "textarea"],
  );
  assert.equal(field(page, "at").input.getAttribute("value"), "2026-01-31T12:00:00.125");
  const same = await dashboard.fill(page, "Save");
  assert.equal(same.location, `${path}?.done=saved`);
  assert.deepEqual(await posts.get(id!), before);
  posts.app.clock.advance(1000);
  const saved = await dashboard.fill(page, "Save", { "f.status": "live" });
  assert.match(texts(await dashboard.follow(saved), "[role=status]")[0]!, /^Saved\.$/);
  const after = await posts.get(id!);
  assert.deepEqual(after, { ...before, status: "live", updatedAt: after.updatedAt });
  assert.notEqual(after.updatedAt, before.updatedAt);
  assert.ok(Object.is(after.views, -0));
});

Deno.test("an entered value takes the type of its field, and an emptied field is null", async () => {
  await using posts = await openPosts();
  const [id] = await posts.add(EVERY_FIELD);
  const { dashboard, path } = posts;
  const page = await dashboard.get(`${path}/documents/${id}`);
  await dashboard.fill(page, "Save", {
    "f.title": "one\r\ntwo",
    "f.views": "1e3",
    "f.live": "",
    "f.at": "2026-02-01T08:30",
    "f.meta": '{"lang":"en"}',
    "f.tags": "",
    "f.extra": "[1]",
  });
  const { title, views, live, at, meta, tags, extra, author } = await posts.get(id!);
  assert.deepEqual({ title, views, live, at, meta, tags, extra, author }, {
    title: "one\ntwo",
    views: 1000,
    live: null,
    at: "2026-02-01T08:30:00.000Z",
    meta: { lang: "en" },
    tags: null,
    extra: [1],
    author: AUTHOR,
  });
});

Deno.test("refused values are reported at their fields, and all entries stay", async () => {
  await using posts = await openPosts();
  const [id] = await posts.add({ title: "A", slug: "a" }, { title: "B", slug: "b" });
  const { dashboard, path } = posts;
  const page = await dashboard.get(`${path}/documents/${id}`);
  const typed = {
    "f.title": "",
    "f.views": "many",
    "f.meta": '{"lang":1}',
    "f.author": "nobody",
    "f.status": HOSTILE_TEXTS[1],
  };
  const refused = await dashboard.fill(page, "Save", typed);
  assert.equal(refused.status, 400);
  assert.equal(field(refused, "title").fault, "title is required and cannot be null");
  assert.equal(field(refused, "views").fault, "views must be a Number");
  assert.equal(field(refused, "meta").fault, "meta.lang must be a String");
  assert.equal(field(refused, "author").fault, "author must be an id of 24 hexadecimal digits");
  assert.equal(field(refused, "status").fault, null);
  assert.equal(field(refused, "views").input.getAttribute("value"), "many");
  assert.equal(textAreaValue(field(refused, "status").input), HOSTILE_TEXTS[1]);
  assertHarmless(refused);
  const malformed = await dashboard.fill(page, "Save", { "f.tags": "[1," });
  assert.equal(
    field(malformed, "tags").fault,
    "tags is not valid JSON (line 1, column 4: the text ends too soon)",
  );
  const inexact = await dashboard.fill(page, "Save", {
    "f.views": " 9007199254740993",
    "f.tags": "[1254071346418286654]",
  });
  assert.equal(
    field(inexact, "views").fault,
    "views has the integer 9007199254740993, which a Number cannot hold exactly: keep it in a String",
  );
  assert.match(field(inexact, "tags").fault!, /^tags has the integer 1254071346418286654, /);
  const taken = await dashboard.fill(page, "Save", { "f.slug": "b" });
  assert.equal(taken.status, 409);
  assert.match(field(taken, "slug").fault!, /another document already has/);
  assert.deepEqual((await posts.get(id!)).title, "A");
});

Deno.test("a conflicting change is reported, and neither it nor the entries are lost", async () => {
  await using posts = await openPosts();
  const [id] = await posts.add({ title: "A", status: "draft" });
  const { dashboard, path } = posts;
  const editPage = await dashboard.get(`${path}/documents/${id}`);
  const jsonPage = await dashboard.get(`${path}/documents/${id}?as=json`);
  posts.app.clock.advance(1000);
  await dashboard.fill(editPage, "Save", { "f.title": "B" });
  const conflict = await dashboard.fill(jsonPage, "Save", { json: '{"title":"C"}' });
  assert.equal(conflict.status, 412);
  assert.match(texts(conflict, "[role=alert]")[0]!, /This document has changed/);
  assert.equal(
    textAreaValue(conflict.document.querySelector("textarea[name=json]")!),
    '{"title":"C"}',
  );
  assert.equal((await posts.get(id!)).title, "B");
  const again = await dashboard.fill(conflict, "Save");
  assert.equal(again.status, 412, "saving it again does not overwrite");
  const over = await dashboard.fill(again, "Save mine in its place");
  assert.equal(over.status, 303);
  const { title, status } = await posts.get(id!);
  assert.deepEqual({ title, status }, { title: "C", status: undefined });
});

Deno.test("as JSON a document is complete except for the server's fields", async () => {
  await using posts = await openPosts();
  const [id] = await posts.add(EVERY_FIELD);
  const { dashboard, path } = posts;
  const page = await dashboard.get(`${path}/documents/${id}?as=json`);
  const text = textAreaValue(page.document.querySelector("textarea[name=json]")!);
  assert.match(text, /"views": -0/);
  assert.doesNotMatch(text, /_id|createdAt/);
  assert.equal((await dashboard.fill(page, "Save")).status, 303);
  assert.deepEqual({ ...await posts.get(id!), ...EVERY_FIELD }, await posts.get(id!));
  const now = await dashboard.get(`${path}/documents/${id}?as=json`);
  for (
    const [json, words] of [
      [
        '{\n  "title": x\n}',
        /^This is not valid JSON \(line 2, column 12: a value is expected\)\.$/,
      ],
      ["[]", /one JSON object/],
      ['{"views":9007199254740993}', /^This has the integer 9007199254740993, .* in a String\.$/],
      ['{"title":1}', /"title" must be a String/],
      ['{"title":"x","_id":"y"}', /"_id" is set by the server/],
    ] as const
  ) {
    const refused = await dashboard.fill(now, "Save", { json });
    assert.equal(refused.status, 400, json);
    assert.match(texts(refused, "[role=alert]")[0]!, words);
    assert.equal(textAreaValue(refused.document.querySelector("textarea[name=json]")!), json);
  }
});

Deno.test("a document is created by fields, as JSON or as a copy, with its defaults", async () => {
  await using posts = await openPosts({
    fields: [
      { key: "title", type: "String", required: true },
      { key: "status", type: "String", default: "draft" },
      { key: "slug", type: "String", unique: true },
    ],
  });
  const { dashboard, path } = posts;
  const page = await dashboard.get(`${path}/new`);
  const refused = await dashboard.fill(page, "Create document", { "f.status": "x" });
  assert.equal(refused.status, 400);
  assert.equal(field(refused, "title").fault, "title is required");
  const created = await dashboard.fill(page, "Create document", { "f.title": "A", "f.slug": "a" });
  assert.equal(created.location, `${path}?.done=created`);
  const [document] = await posts.list();
  assert.deepEqual([document.title, document.status], ["A", "draft"]);
  const json = await dashboard.get(`${path}/new?as=json`);
  await dashboard.fill(json, "Create document", { json: '{"title":"B","extra":[1]}' });
  const [other] = await posts.list("title=B");
  assert.deepEqual(other.extra, [1]);
  const copy = await dashboard.get(
    linkOf(await dashboard.get(`${path}/documents/${other._id}`), "Duplicate"),
  );
  assert.equal((await dashboard.fill(copy, "Create document")).status, 303);
  const copies = await posts.list("title=B");
  assert.deepEqual(copies.map(({ extra }) => extra), [[1], [1]]);
  const taken = await dashboard.fill(
    await dashboard.get(`${path}/new?from=${document._id}`),
    "Create document",
  );
  assert.equal(taken.status, 409);
  assert.match(field(taken, "slug").fault!, /another document already has/);
});

Deno.test("a document is deleted and recovered from the trash, where it is read-only", async () => {
  await using posts = await openPosts();
  const [id] = await posts.add({ title: "A" });
  const { dashboard, path } = posts;
  const page = await dashboard.get(`${path}/documents/${id}`);
  assert.equal((await dashboard.fill(page, "Delete this document")).status, 303);
  assert.deepEqual(await posts.list(), []);
  const trashed = await dashboard.get(`${path}/documents/${id}`);
  assert.match(trashed.words, /It is in the trash/);
  assert.ok(field(trashed, "title").input.hasAttribute("readonly"));
  assert.doesNotMatch(trashed.words, /Save/);
  await dashboard.fill(trashed, "Recover");
  assert.equal((await posts.list()).length, 1);
});

Deno.test("a viewer reads every field and has no buttons", async () => {
  await using posts = await openPosts();
  const [id] = await posts.add({ title: "A", live: true });
  const viewer = await posts.other("viewer");
  const page = await viewer.get(`${posts.path}/documents/${id}`);
  assert.equal(page.status, 200);
  assert.ok(field(page, "title").input.hasAttribute("readonly"));
  assert.ok(field(page, "live").input.hasAttribute("disabled"));
  assert.doesNotMatch(page.words, /Save|Delete|Duplicate/);
  assert.equal((await viewer.get(`${posts.path}/documents/${"b".repeat(24)}`)).status, 404);
  assert.equal((await viewer.get(`${posts.path}/documents/nonsense`)).status, 400);
});

Deno.test("an invalid id is refused before the project's data is read", async () => {
  await using posts = await openPosts();
  const { engine } = posts.app.services;
  const asked: Space[] = [];
  const records = engine.records.bind(engine);
  engine.records = (space, definition) => {
    asked.push(space);
    return records(space, definition);
  };
  for (const address of ["documents/nonsense", "new?from=nonsense"]) {
    const { status } = await posts.dashboard.get(`${posts.path}/${address}`);
    assert.deepEqual([address, status], [address, 400]);
  }
  assert.deepEqual(new Set(asked), new Set(["control"]));
  await posts.dashboard.get(`${posts.path}/new`);
  assert.ok(asked.includes(posts.projectId), "a valid id is read");
});

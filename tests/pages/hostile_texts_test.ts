import assert from "node:assert/strict";
import { SCRIPTS } from "@/routes/dashboard/assets.ts";
import { FORM_TYPE } from "./file_forms.ts";
import {
  assertHarmless,
  HOSTILE_TEXTS,
  openDashboard,
  pageOf,
  textAreaValue,
} from "../support/pages.ts";
import { openTestApp } from "../support/test_app.ts";
import { openPosts, type Posts, texts } from "./posts.ts";
import { openProjectPages } from "./project_pages.ts";

/** Hostile texts in places that the tests of the rooms do not cover. */

/** The texts without characters that names of fields must not contain. */
const NAMES = HOSTILE_TEXTS.map((text) => text.replaceAll(/[.$]/g, ""));

async function send({ app, owner, path }: Posts, rest: string, fields: Record<string, string>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const { headers, body } = new Request("http://localhost", { method: "POST", body: form });
  const type = headers.get("content-type") ?? FORM_TYPE;
  const bytes = new Uint8Array(await new Response(body).arrayBuffer());
  return pageOf(
    await app.send({
      method: "POST",
      path: path + rest,
      headers: { cookie: owner.cookie, "content-type": type },
      body: bytes,
    }),
  );
}

Deno.test("the refused rows of an import show fields and values as text", async () => {
  await using posts = await openPosts({ strict: true });
  const rows = NAMES.map((name, i) => ({ title: "A", slug: `s${i}`, [name]: HOSTILE_TEXTS[i] }));
  const preview = await send(posts, "/import", { text: JSON.stringify(rows) });
  const reasons = texts(preview, "td.reason");
  assert.equal(reasons.length, NAMES.length);
  for (const [i, name] of NAMES.entries()) {
    assert.ok(reasons[i]!.includes(JSON.stringify(name).slice(1, 8)), reasons[i]);
  }
  assertHarmless(preview);
  // A row that only the store refuses is shown again with all of its values.
  const same = HOSTILE_TEXTS.map((text, i) => ({
    number: i + 1,
    document: { title: text, slug: text },
  }));
  const twice = [...same, ...same.map((row) => ({ ...row, number: row.number + 10 }))];
  const outcome = await send(posts, "/import/run", { rows: JSON.stringify(twice), once: "once" });
  assert.equal(outcome.status, 422);
  const mended = textAreaValue(outcome.document.querySelector("textarea[name=text]")!);
  assert.deepEqual(JSON.parse(mended), same.map(({ document }) => document));
  assertHarmless(outcome);
});

Deno.test("the copied call is one command, whatever the filters", async () => {
  await using posts = await openPosts();
  const { dashboard, path } = posts;
  for (const text of [...HOSTILE_TEXTS, "'; rm -rf ~; '", "$(id)`id`", "a\\'b\n\"c"]) {
    const page = await dashboard.get(`${path}?${new URLSearchParams({ title: text })}`);
    const [curl, script] = [...page.document.querySelectorAll(".view-call copy-text")]
      .map((one) => one.getAttribute("text")!);
    assert.match(curl!, /^curl '[^'\s]+' -H 'x-api-key: pk_live_YOUR_KEY'$/);
    const address = JSON.parse(/^await fetch\(("(?:[^"\\]|\\.)*"), /.exec(script!)![1]!);
    assert.equal(new URL(address).searchParams.get("title"), text);
    assertHarmless(page);
  }
});

Deno.test("cells of every kind show text", async () => {
  await using posts = await openPosts({
    fields: [
      { key: "title", type: "String" },
      { key: "word", type: "String" },
      { key: "list", type: "Array", items: { type: "String" } },
      { key: "about", type: "Ref", ref: "posts" },
      { key: "anything", type: "Object" },
    ],
    strict: false,
  });
  const { dashboard, path } = posts;
  const word = "<img src=x>\"'&";
  const named = await posts.add(...HOSTILE_TEXTS.map((title) => ({ title, word })));
  await posts.add(...HOSTILE_TEXTS.map((text, i) => ({
    title: "",
    word,
    list: [text, ...HOSTILE_TEXTS],
    about: named[i],
    anything: { a: [text] },
    other: text,
  })));
  const page = await dashboard.get(`${path}?.columns=title,word,list,about,anything,other`);
  assertHarmless(page);
  const rows = [...page.document.querySelectorAll("tbody tr")].map((row) =>
    [...row.querySelectorAll("td:not(.pick)")].map((cell) => cell.textContent)
  );
  assert.equal(rows.length, 2 * HOSTILE_TEXTS.length);
  for (const [i, text] of HOSTILE_TEXTS.entries()) {
    const [referring, referred] = [rows.at(-1 - HOSTILE_TEXTS.length - i)!, rows.at(-1 - i)!];
    assert.deepEqual(referred.slice(0, 2), [text, word]);
    assert.deepEqual(referring.slice(1), [
      word,
      [text, ...HOSTILE_TEXTS.slice(0, 3)].join("") + "+2",
      text,
      `{ a: ${text} }`,
      text,
    ]);
  }
});

Deno.test("the trash, the question before a deletion, and conflicts show text", async () => {
  await using posts = await openPosts();
  const { dashboard, path } = posts;
  const ids = await posts.add(...HOSTILE_TEXTS.map((title) => ({ title, meta: { lang: title } })));
  const page = await dashboard.get(`${path}/documents/${ids[0]}`);
  await dashboard.fill(page, "Save", { "f.status": "first" });
  for (const text of HOSTILE_TEXTS) {
    const conflict = await dashboard.fill(page, "Save", { "f.status": text, etag: '"x"' });
    assert.equal(conflict.status, 412);
    assertHarmless(conflict);
    const fields = { tag: text, "0.key": text, "0.default": text, "0.type": "String" };
    assertHarmless(await dashboard.submit(`${path}/fields`, fields));
    assertHarmless(await dashboard.submit(`${path}/fields`, { ...fields, act: "add:" }));
    assertHarmless(await dashboard.submit(`${path}/access`, { tag: text, access: "off" }));
  }
  assertHarmless(await dashboard.submit(`${path}/documents`, { act: "delete", id: ids }));
  await dashboard.submit(`${path}/documents`, { act: "delete", id: ids, sure: "yes" });
  const trash = await dashboard.get(`${path}?isDeleted=true&include_deleted=true`);
  assert.equal(texts(trash, "tbody tr").length, HOSTILE_TEXTS.length);
  assertHarmless(trash);
  for (const id of ids) assertHarmless(await dashboard.get(`${path}/documents/${id}`));
});

Deno.test("stored defaults are text wherever a definition is shown", async () => {
  await using posts = await openPosts({
    rls: { enabled: false },
    fields: HOSTILE_TEXTS.map((text, i) => ({
      key: `field${i}`,
      type: "String",
      required: true,
      default: text,
    })),
  });
  const { dashboard, path } = posts;
  const home = path.replace(/\/collections\/.*/, "");
  for (const at of ["", "/fields", "/access", "/api", "/new", "/new?as=json"]) {
    assertHarmless(await dashboard.get(path + at));
  }
  for (const at of ["", "/collections", "/ai/designer"]) {
    assertHarmless(await dashboard.get(home + at));
  }
  const api = await dashboard.get(`${path}/api`);
  for (const text of HOSTILE_TEXTS) {
    assert.ok(api.words.includes(JSON.stringify(text).slice(1, -1)), text);
  }
});

Deno.test("the answer of a bucket is shown as text in the steps of its check", async () => {
  await using app = await openTestApp({ env: { ALLOW_PRIVATE_ENDPOINTS: "true" } });
  const { dashboard, home } = await openProjectPages(app);
  const code = HOSTILE_TEXTS.join(" ").replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const xml = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  await using bucket = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response(xml, { status: 418, headers: { "content-type": "application/xml" } }),
  );
  await dashboard.submit(`${home}/files/storage`, {
    endpoint: `http://127.0.0.1:${bucket.addr.port}`,
    bucket: "blog-files",
    accessKeyId: "AKID",
    secretAccessKey: "secret",
  });
  const page = await dashboard.submit(`${home}/files/storage/check`);
  assert.match(page.words, /does not work yet/);
  assert.match(page.words, /418/);
  assertHarmless(page);
});

/** Matches code that interprets a text as more than a text. */
const SINKS =
  /\b(?:innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|srcdoc|eval)\b|document\.write|new Function|setHTML|\.(?:href|src|action|formAction)\s*=|setAttribute\(\s*["'`](?:on|href|src|style)/;

Deno.test("our scripts set texts as text", () => {
  const own = SCRIPTS.filter(({ path }) => !path.includes("/htmx-"));
  assert.equal(own.length, 1);
  for (const { path, text } of own) assert.doesNotMatch(text, SINKS, path);
});

Deno.test("without a session no sent text is shown", async () => {
  await using app = await openTestApp();
  for (const text of HOSTILE_TEXTS) {
    const path = `/dashboard/${encodeURIComponent(text.replaceAll("/", ""))}`;
    assertHarmless(await openDashboard(app).get(path));
    const sent = await app.send({
      method: "POST",
      path: "/dashboard/account/password",
      headers: [["content-type", "application/x-www-form-urlencoded"], [
        "referer",
        `http://localhost:8000/dashboard?x=${encodeURIComponent(text)}`,
      ]],
      body: new URLSearchParams({ currentPassword: text }).toString(),
    });
    assertHarmless(pageOf(sent));
  }
});

import assert from "node:assert/strict";
import { parseHTML } from "linkedom";
import {
  assertHarmless,
  HOSTILE_TEXTS,
  type PageAnswer,
  type PageElement,
  textAreaValue,
} from "../support/pages.ts";
import { linkOf, openPosts, type Posts, texts } from "./posts.ts";

/** Sends a multipart form as a browser does. */
async function send(
  { app, owner }: Posts,
  path: string,
  fields: Record<string, string | File>,
  cookie = owner.cookie,
): Promise<PageAnswer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const request = new Request("http://localhost/", { method: "POST", body: form });
  const answer = await app.send({
    method: "POST",
    path,
    headers: { cookie, "content-type": request.headers.get("content-type")! },
    body: new Uint8Array(await request.arrayBuffer()),
  });
  const parsed: unknown = parseHTML(answer.text || "<!DOCTYPE html><html></html>");
  const { document } = parsed as { document: PageElement };
  const words = document.querySelector("main")?.textContent.replaceAll(/\s+/g, " ").trim() ?? "";
  return { ...answer, location: answer.headers.get("location"), document, words };
}

const preview = (posts: Posts, fields: Record<string, string | File>) =>
  send(posts, `${posts.path}/import`, fields);

function confirm(posts: Posts, page: PageAnswer): Promise<PageAnswer> {
  const form = page.document.querySelector("textarea[name=rows]")!.closest("form")!;
  return send(posts, form.getAttribute("action")!, {
    rows: textAreaValue(form.querySelector("textarea")!),
    once: form.querySelector("input[name=once]")!.getAttribute("value")!,
  });
}

const csv = (text: string) => new File([text], "posts.csv", { type: "text/csv" });

Deno.test("a CSV is previewed with its faults, and the valid rows are stored on confirmation", async () => {
  await using posts = await openPosts();
  const page = await preview(posts, {
    file: csv(
      "\ufefftitle,views,live,at,tags,_id,other\r\n" +
        'A,1,true,2026-01-31,"[""x""]",1,left\r\n' +
        "B,many,TRUE,,,2,\r\n" +
        ",3,,,,3,\r\n" +
        'D,,,,"a, b",4,,extra\r\n' +
        '"E\nF",-5,false,,,5,\r\n',
    ),
    text: "",
  });
  assert.equal(page.status, 200, page.words);
  assert.match(page.words, /5 rows read: 2 can be imported, 3 cannot/);
  assert.match(page.words, /_id are set by the server and left out/);
  assert.deepEqual(texts(page, "td.reason"), [
    'The field "views" must be a Number.',
    'The field "title" is required.',
    "It has 8 cells for 7 columns.",
  ]);
  assert.deepEqual(await posts.list(), [], "a preview stores nothing");
  const done = await confirm(posts, page);
  assert.equal(done.location, `${posts.path}?.done=imported`);
  const stored = await posts.list("sort=title&fields=title,views,live,at,tags,other");
  assert.deepEqual(stored.map(({ _id, ...rest }) => rest), [
    {
      title: "A",
      views: 1,
      live: true,
      at: "2026-01-31T00:00:00.000Z",
      tags: ["x"],
      other: "left",
    },
    { title: "E\nF", views: -5, live: false },
  ]);
  const again = await confirm(posts, page);
  assert.equal(again.status, 303);
  assert.equal((await posts.list()).length, 2, "sent again, each row is stored once");
});

Deno.test("rows that only the store refuses are listed, and the others of their batch are stored", async () => {
  await using posts = await openPosts();
  await posts.add({ title: "there", slug: "s5" });
  const rows = Array.from({ length: 250 }, (_, i) => ({ title: `T${i}`, slug: `s${i}` }));
  rows[120] = { title: "twice", slug: "s7" };
  const page = await preview(posts, { text: JSON.stringify(rows) });
  assert.match(page.words, /250 rows read: 250 can be imported/);
  const outcome = await confirm(posts, page);
  assert.equal(outcome.status, 422);
  assert.match(outcome.words, /248 rows imported, 2 not/);
  assert.deepEqual(texts(outcome, "td.num"), ["6", "121"]);
  assert.match(texts(outcome, "td.reason")[0]!, /unique field "slug"/);
  const kept = JSON.parse(textAreaValue(outcome.document.querySelector("textarea[name=text]")!));
  assert.deepEqual(kept, [rows[5], rows[120]], "the failed rows can be corrected");
  assert.equal((await posts.list("limit=1000")).length, 249);
});

Deno.test("an imported export equals the original", async () => {
  await using posts = await openPosts();
  await posts.add(
    { title: "=1+1", views: -3, tags: ["a,b", '"'], meta: { lang: "de" }, live: false },
    { title: "'=1", at: "2026-01-31T12:00:00.000Z", status: "two\r\nlines" },
  );
  const { dashboard, path } = posts;
  const fields = "fields=title,views,tags,meta,live,at,status&sort=title";
  const before = await posts.list(fields);
  for (const format of ["csv", "json"]) {
    const { text } = await dashboard.get(`${path}/export?.format=${format}`);
    const page = await preview(posts, { file: new File([text], `posts.${format}`) });
    assert.equal((await confirm(posts, page)).status, 303, page.words);
  }
  const after = await posts.list(fields);
  assert.equal(after.length, 8);
  const plain = (documents: typeof after) =>
    documents.map(({ _id, ...rest }) => JSON.stringify(rest, (_, value) => value ?? undefined));
  const set = new Set(plain(before));
  for (const one of plain(after)) assert.ok(set.has(one), one);
});

Deno.test("an input without rows is refused next to the form, with the pasted text kept", async () => {
  await using posts = await openPosts();
  for (
    const [text, words] of [
      ["", /Choose a file, or paste/],
      ["[{]", /begins like JSON and is not valid \(line 1, column 3: a name in double quotes/],
      ["a,a\n1,2", /names "a" twice/],
      ["a,,b\n1,2,3", /Column 2 has no name/],
      ['a\n"open', /This is not a CSV/],
      [
        Array.from({ length: 501 }, (_, i) => `c${i}`).join(","),
        /more than 500 columns: leave some/,
      ],
      [`a\n${"1\n".repeat(5001)}`, /more than 5,000 rows: split the file, and import one part/],
    ] as const
  ) {
    const refused = await preview(posts, { text });
    assert.equal(refused.status, 400, text);
    assert.match(texts(refused, "[role=alert]")[0]!, words);
    const kept = textAreaValue(refused.document.querySelector("textarea[name=text]")!);
    assert.equal(kept.replaceAll("\r\n", "\n"), text);
  }
  const latin = new File([new Uint8Array([0x61, 0x0a, 0xe9])], "a.csv");
  assert.match((await preview(posts, { file: latin })).words, /not in UTF-8/);
  const large = new File(["a\n", "x".repeat(5 * 1_048_576)], "a.csv");
  assert.equal((await preview(posts, { file: large })).status, 413);
  const run = (rows: string) => send(posts, `${posts.path}/import/run`, { rows, once: "x" });
  for (const rows of ["", "{}", "[1]", '[{"document":{}}]']) {
    assert.equal((await run(rows)).status, 400);
  }
  const plain = await posts.dashboard.submit(`${posts.path}/import`, { text: "a\n1" });
  assert.equal(plain.status, 415);
});

Deno.test("semicolons and pasted lines are read, and hostile cells are shown as text", async () => {
  await using posts = await openPosts();
  const page = await preview(posts, { text: "title;status\r\nA;one, two\r\n" });
  assert.deepEqual(texts(page, "td").slice(1), ["A", "one, two"]);
  const rows = HOSTILE_TEXTS.map((text) => ({
    title: text,
    views: text,
    [text.slice(0, 9)]: text,
  }));
  const hostile = await preview(posts, {
    text: JSON.stringify([...rows, { title: HOSTILE_TEXTS[0] }]),
  });
  assertHarmless(hostile);
  assertHarmless(await preview(posts, { text: HOSTILE_TEXTS.join("\n") }));
});

Deno.test("a viewer can use neither the page of the import nor its forms", async () => {
  await using posts = await openPosts();
  const page = await posts.dashboard.get(posts.path);
  const form = await posts.dashboard.get(linkOf(page, "Import"));
  assert.equal(form.document.querySelector("form[enctype]")?.getAttribute("hx-boost"), "false");
  const viewer = await posts.other("viewer");
  assert.equal((await viewer.get(`${posts.path}/import`)).status, 403);
  assert.equal((await viewer.submit(`${posts.path}/import/run`, { rows: "[]" })).status, 403);
});

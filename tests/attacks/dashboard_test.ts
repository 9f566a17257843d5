/** Forms, views and files that try to make the dashboard do expensive work. */

import assert from "node:assert/strict";
import { cpuUsage } from "node:process";
import {
  COLUMNS_MAX,
  DEFINITION_FORM_FIELDS_MAX,
  FORM_FIELDS_MAX,
  FORM_TEXT_LENGTH_MAX,
  GRID_ROWS_MAX,
  IMPORT_BYTES_MAX,
  IMPORT_CELLS_MAX,
  IMPORT_ROWS_MAX,
} from "@/lib/limits.ts";
import { times } from "../api/test_collection.ts";
import { linkOf, openPosts, type Posts, texts } from "../pages/posts.ts";
import type { Answer } from "../support/conforming_client.ts";
import { type PageAnswer, pageOf } from "../support/pages.ts";

/** Milliseconds, several times what the most expensive request takes. */
const QUICK_MS = 900;

/** Sends a request twice, and fails if the second uses much processor time. */
async function sendQuickly(work: () => Promise<Answer>): Promise<PageAnswer> {
  await work();
  const before = cpuUsage();
  const answer = await work();
  const { user, system } = cpuUsage(before);
  const ms = Math.round((user + system) / 1000);
  assert.ok(ms < QUICK_MS, `took ${ms} ms`);
  assert.ok(answer.text.length < 8_000_000, `a page of ${answer.text.length} characters`);
  return pageOf(answer);
}

const openPage = ({ app, owner }: Posts, path: string) =>
  app.send({ path, headers: { cookie: owner.cookie } });

/** Sends a form body without encoding it. */
const sendForm = ({ app, owner, path }: Posts, at: string, body: string): Promise<Answer> =>
  app.send({
    method: "POST",
    path: path + at,
    headers: { cookie: owner.cookie, "content-type": "application/x-www-form-urlencoded" },
    body,
  });

async function sendParts(
  { app, owner, path }: Posts,
  at: string,
  parts: readonly (readonly [string, string | File])[],
): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  const request = new Request("http://localhost/", { method: "POST", body: form });
  return await app.send({
    method: "POST",
    path: path + at,
    headers: { cookie: owner.cookie, "content-type": request.headers.get("content-type")! },
    body: new Uint8Array(await request.arrayBuffer()),
  });
}

const importFile = (posts: Posts, text: string) =>
  sendParts(posts, "/import", [["file", new File([text], "posts.csv")], ["text", ""]]);

const refusalIn = (page: PageAnswer): string => texts(page, "[role=alert]").join(" ");

const FREE = { fields: [{ key: "title", type: "String" }, { key: "meta", type: "Object" }] };

const names = (count: number) => times(count, (n) => `c${n}`);

Deno.test("a grid of thousands of parameters is refused with a link to the plain grid", async () => {
  await using posts = await openPosts(FREE);
  const { path } = posts;
  for (const query of ["a&".repeat(6_000), names(6_000).map((name) => `${name}=1`).join("&")]) {
    const page = await sendQuickly(() => openPage(posts, `${path}?${query}`));
    assert.equal(page.status, 414);
    assert.ok(page.text.length < 4_000, "the page contains nothing of the query");
    assert.match(refusalIn(page), /at most 32768 characters and 100 parameters/);
    assert.equal(linkOf(page, "Open the page without its query"), path);
  }
});

Deno.test("a view in a form or a link has the length limit of an address", async () => {
  await using posts = await openPosts(FREE);
  const { path } = posts;
  const [id] = await posts.add({ title: "kept" });
  const many = encodeURIComponent(names(3_000).map((name) => `${name}=1`).join("&"));
  const long = encodeURIComponent(`title=${"é".repeat(10_000)}`);
  for (const view of [many, long]) {
    for (
      const [at, rest] of [
        ["/documents", `act=delete&id=${id}&sure=yes`],
        [`/documents/${id}`, "f.title=changed"],
        ["/new", "f.title=new"],
        ["/ask", "prompt=all"],
        ["/columns", "column=title"],
      ] as const
    ) {
      const page = await sendQuickly(() => sendForm(posts, at, `${rest}&view=${view}`));
      assert.equal(page.status, 414, at);
    }
  }
  for (const at of ["/filter", "/new", `/documents/${id}`]) {
    const page = await sendQuickly(() =>
      openPage(posts, `${path}${at}?view=${"a%26".repeat(8_000)}`)
    );
    assert.equal(page.status, 414, at);
  }
  const stored = await posts.list("fields=title");
  assert.deepEqual(stored.map(({ title }) => title), ["kept"], "a refusal leaves no trace");
});

Deno.test("a grid's page is bounded in rows, columns and links", async () => {
  await using posts = await openPosts(FREE);
  const { dashboard, path } = posts;
  await posts.add(...times(GRID_ROWS_MAX + 1, (n) => ({ title: `t${n}`, meta: { n } })));
  const rowsOf = (page: PageAnswer) => [...page.document.querySelectorAll("tbody tr")].length;
  const long = `title_ne=${encodeURIComponent("'".repeat(9_000))}`;
  const page = await sendQuickly(() => openPage(posts, `${path}?limit=1000&${long}`));
  assert.equal(page.status, 200);
  assert.equal(rowsOf(page), GRID_ROWS_MAX);
  const most = names(COLUMNS_MAX).join(",");
  const wide = await sendQuickly(() => openPage(posts, `${path}?limit=1000&.columns=${most}`));
  assert.equal(wide.status, 200);
  const wider = await sendQuickly(() => openPage(posts, `${path}?.columns=${most},title`));
  assert.equal(wider.status, 400);
  assert.match(refusalIn(wider), /501 columns: choose at most 500/);
  assert.equal(linkOf(wider, "Open the page without its query"), path);
  const repeated = await sendQuickly(() =>
    openPage(posts, `${path}?.columns=${"title,".repeat(5_000)}`)
  );
  assert.equal([...repeated.document.querySelectorAll("thead th")].length, 1);
  const csv = await dashboard.get(`${path}/export?.format=csv&.columns=${"title,".repeat(5_000)}`);
  assert.equal(csv.text.split("\r\n")[0], "title");
});

Deno.test("a refused query shows at most as many filters as a list can have", async () => {
  await using posts = await openPosts(FREE);
  const query = names(99).map((name) => `${name}=${"y".repeat(300)}`).join("&");
  const page = await sendQuickly(() => openPage(posts, `${posts.path}?${query}`));
  assert.equal(page.status, 400);
  assert.equal(texts(page, ".chip").length, 50);
  assert.match(page.words, /and 49 more filters/);
});

Deno.test("the filter links of a long view are chained, so that its page stays short", async () => {
  await using posts = await openPosts(FREE);
  const pageWith = async (length: number) => {
    const query = names(50).map((name) => `${name}=${"<".repeat(length)}`).join("&");
    const page = await sendQuickly(() => openPage(posts, `${posts.path}?${query}`));
    assert.equal(texts(page, ".chip").length, 50);
    return page;
  };
  assert.equal(texts(await pageWith(15), ".chip .away").length, 50);
  const page = await pageWith(200);
  assert.ok(page.text.length < 1_000_000, `a page of ${page.text.length} characters`);
  const away = texts(page, ".chip .away").length;
  assert.ok(away >= 1 && away < 50, `${away} filters are links`);
});

Deno.test("documents of thousands of fields are shown with limited columns", async () => {
  await using posts = await openPosts({ fields: [] });
  const { dashboard, path } = posts;
  const wide = (from: number) => Object.fromEntries(times(600, (n) => [`name${from + n}`, n]));
  const [id] = await posts.add(wide(0), wide(600));
  const page = await sendQuickly(() => openPage(posts, path));
  assert.equal([...page.document.querySelectorAll("input[name=column]")].length, COLUMNS_MAX);
  const csv = await dashboard.get(`${path}/export?.format=csv`);
  assert.equal(csv.status, 400);
  assert.match(refusalIn(csv), /more than 500 fields: choose columns first, or export JSON/);
  assert.equal((await dashboard.get(`${path}/export?.format=json`)).status, 200);
  const editor = await sendQuickly(() => openPage(posts, `${path}/documents/${id}`));
  assert.ok(
    editor.document.querySelector("textarea[name=json]"),
    "the document is edited as one text",
  );
  const saved = await dashboard.fill(editor, "Save", { json: '{"name0":1}' });
  assert.equal(saved.status, 303);
  assert.equal((await posts.get(id!)).name0, 1);
});

Deno.test("a form has at most 1,000 fields and is not parsed further", async () => {
  await using posts = await openPosts(FREE);
  const send = (count: number) =>
    sendQuickly(() => sendForm(posts, "/new", names(count).map((name) => `f.${name}={`).join("&")));
  assert.equal(
    (await send(FORM_FIELDS_MAX)).status,
    400,
    "the form is shown again with the faults",
  );
  for (const count of [FORM_FIELDS_MAX + 1, 60_000]) {
    const refused = await send(count);
    assert.equal(refused.status, 413);
    assert.match(refusalIn(refused), /send at most 1000/);
  }
  for (const body of ["&a".repeat(2_000_000), "f.title=".repeat(500_000)]) {
    const page = await sendQuickly(() => sendForm(posts, "/new", body));
    assert.ok([303, 413].includes(page.status));
  }
  const long = await sendQuickly(() =>
    sendForm(posts, "/new", `f.title=${"<".repeat(FORM_TEXT_LENGTH_MAX)}`)
  );
  assert.equal(long.status, 413);
  assert.ok(long.text.length < 4_000, "unread fields are not shown again");
});

Deno.test("a definition's form fits the largest definition, and its buttons name existing rows", async () => {
  await using posts = await openPosts(FREE);
  const rows = (count: number) => times(count, (n) => `${n % 200}.key=k${n}`).join("&");
  const most = `act=add:&${rows(DEFINITION_FORM_FIELDS_MAX - 1)}`;
  assert.equal((await sendQuickly(() => sendForm(posts, "/fields", most))).status, 200);
  assert.equal((await sendQuickly(() => sendForm(posts, "/fields", `${most}&a`))).status, 413);
  for (const act of [`add:0${".i".repeat(400_000)}`, `remove:${"0.".repeat(400_000)}0`]) {
    const page = await sendQuickly(() => sendForm(posts, "/fields", `0.type=Array&act=${act}`));
    assert.equal(page.status, 200);
    assert.equal([...page.document.querySelectorAll("ul.fields > li")].length, 1);
  }
});

Deno.test("at most one page of documents can be selected", async () => {
  await using posts = await openPosts(FREE);
  const [id] = await posts.add({ title: "kept" });
  const others = times(GRID_ROWS_MAX, (n) => `id=${n.toString(16).padStart(24, "0")}`).join("&");
  const page = await sendQuickly(() =>
    sendForm(posts, "/documents", `act=delete&sure=yes&id=${id}&${others}`)
  );
  assert.equal(page.status, 400);
  assert.match(refusalIn(page), /Select at most 100 documents/);
  assert.equal((await posts.list()).length, 1);
  const most = await sendForm(posts, "/documents", `act=delete&sure=yes&${others}`);
  assert.equal(most.status, 303);
});

Deno.test("an import is counted before its rows are created", async () => {
  await using posts = await openPosts(FREE);
  const line = (cells: number) => names(cells).join(",");
  const near = IMPORT_BYTES_MAX - 2_000;
  const json = (text: string, around: number) => text.repeat(Math.floor(near / around));
  for (
    const [text, words] of [
      [`${line(COLUMNS_MAX + 1)}\n1`, /names more than 500 columns/],
      [`${line(100_000)}\n1`, /names more than 500 columns/],
      [",".repeat(near), /names more than 500 columns/],
      [`a\n${"1\n".repeat(IMPORT_ROWS_MAX + 1)}`, /more than 5,000 rows: split the file/],
      [`a\n${"1\r".repeat(400_000)}`, /more than 5,000 rows/],
      [`a\n1\n${",".repeat(near)}`, /Row 2 has more than 500 cells/],
      [
        `${line(COLUMNS_MAX)}\n${`${",".repeat(COLUMNS_MAX - 1)}\n`.repeat(121)}`,
        /more than 60,000 cells/,
      ],
      [`[${json("1,", 2)}1]`, /more than 60,000 values/],
      [`[${json("{},", 3)}{}]`, /more than 60,000 values/],
      [`[${"{},".repeat(IMPORT_ROWS_MAX)}{}]`, /more than 5,000 rows/],
      ["[".repeat(near), /more than 100 levels/],
      [`${"[".repeat(near / 2)}${"]".repeat(near / 2)}`, /more than 100 levels/],
      [`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`, /more than 100 levels/],
    ] as const
  ) {
    const page = await sendQuickly(() => importFile(posts, text));
    assert.equal(page.status, 400, words.source);
    assert.match(refusalIn(page), words);
  }
  assert.deepEqual(await posts.list(), []);
});

Deno.test("an import at its limits is accepted", async () => {
  await using posts = await openPosts(FREE);
  const cells = IMPORT_CELLS_MAX / COLUMNS_MAX;
  for (
    const [text, rows] of [
      [`title\n${"1\n\n".repeat(IMPORT_ROWS_MAX)}`, "5,000"],
      [
        `${names(COLUMNS_MAX).join(",")}\n${`1${",".repeat(COLUMNS_MAX - 1)}\n`.repeat(cells)}`,
        "120",
      ],
      [`title\n"${",\n".repeat(10_000)}"`, "1"],
      [`title;n\n"a,\n""b""";1`, "1"],
      [`[${"{},".repeat(IMPORT_ROWS_MAX - 1)}{}]`, "5,000"],
      [`[{"title":"${"[{,".repeat(100_000)}\\"["}]`, "1"],
    ] as const
  ) {
    const page = await sendQuickly(() => importFile(posts, text));
    assert.equal(page.status, 200, refusalIn(page));
    assert.match(page.words, new RegExp(`${rows} rows? read: ${rows} can be imported`));
  }
});

Deno.test("rows that are too long as JSON are refused, and deep JSON in a cell is an error of its row", async () => {
  await using posts = await openPosts(FREE);
  const long = times(400, (n) => `${n}${"n".repeat(1_000)}`).join(",");
  const page = await sendQuickly(() =>
    importFile(posts, `${long}\n${`${"1,".repeat(399)}1\n`.repeat(100)}`)
  );
  assert.equal(page.status, 400);
  assert.match(refusalIn(page), /as JSON: split the file/);
  const deep = `${"[".repeat(400_000)}${"]".repeat(400_000)}`;
  const preview = await sendQuickly(() => importFile(posts, `title,meta\nA,"${deep}"`));
  assert.equal(preview.status, 200);
  assert.match(texts(preview, "td.reason")[0]!, /"meta" must be an Object/);
});

Deno.test("an import's form is read in steps, and a confirmed preview is counted again", async () => {
  await using posts = await openPosts(FREE);
  const large = await sendQuickly(() =>
    importFile(posts, `title\n${"x".repeat(IMPORT_BYTES_MAX)}`)
  );
  assert.equal(large.status, 413);
  const parts = await sendQuickly(() =>
    sendParts(posts, "/import", times(3_000, (n) => [`p${n}`, ""] as const))
  );
  assert.equal(parts.status, 400);
  const row = '{"number":1,"document":{}}';
  for (
    const rows of [
      `[${`${row},`.repeat(IMPORT_ROWS_MAX)}${row}]`,
      `[${"1,".repeat(1_000_000)}1]`,
      "[".repeat(2_000_000),
      `${"[".repeat(500_000)}${"]".repeat(500_000)}`,
    ]
  ) {
    const run = await sendQuickly(() =>
      sendParts(posts, "/import/run", [["rows", rows], ["once", "x"]])
    );
    assert.equal(run.status, 400);
  }
  assert.deepEqual(await posts.list(), []);
});

Deno.test("documents with long names do not make a long page, and are limited by their bytes", async () => {
  await using posts = await openPosts({ ...FREE, strict: false });
  const { path, dashboard } = posts;
  const long = (count: number, length: number) =>
    Object.fromEntries(times(count, (n) => [`${n}${"<".repeat(length)}`, "x"]));
  const [id] = await posts.add(...times(5, () => long(99, 9_000)), long(380, 290));
  const page = await sendQuickly(() => openPage(posts, path));
  assert.equal(page.status, 200);
  assert.ok(page.text.length < 4_000_000, `${page.text.length} characters`);
  const editor = await sendQuickly(() => openPage(posts, `${path}/documents/${id}`));
  assert.equal(editor.status, 200);
  assert.equal(
    [...editor.document.querySelectorAll("textarea")].length,
    1,
    "the document is edited as one text",
  );
  const csv = await dashboard.get(`${path}/export?.format=csv`);
  assert.match(csv.text, /98<{9000}/, "an export includes all columns");
});

Deno.test("names in a form are bounded, and a long one is reported once", async () => {
  await using posts = await openPosts(FREE);
  const long = "<".repeat(20_000);
  for (const body of [`f.${"<".repeat(320)}=a`, `act=add&${"a.".repeat(200)}=x`]) {
    for (const at of ["/new", "/fields"]) {
      const page = await sendQuickly(() => sendForm(posts, at, body));
      assert.equal(page.status, 413);
      assert.match(refusalIn(page), /a field whose name is longer than 320 characters/);
    }
  }
  const rows = times(390, (n) => `0.${n}.key=a`).join("&");
  const body = `act=add:0&0.type=Object&0.key=${long}&${rows}`;
  const page = await sendQuickly(() => sendForm(posts, "/fields", body));
  assert.ok(page.text.length < 3_000_000, `${page.text.length} characters`);
  const tooMany = await sendQuickly(() =>
    sendForm(posts, "/fields", times(401, (n) => `${n}.key=a`).join("&"))
  );
  assert.match(refusalIn(tooMany), /up to 400 rows/);
});

Deno.test("the boundary of a form has at most 60 characters, and an encoded form is refused", async () => {
  await using posts = await openPosts(FREE);
  const { app, owner, path, projectId } = posts;
  const send = (address: string, boundary: string, headers: Record<string, string> = {}) => {
    const text = `--${boundary}\r\ncontent-disposition: form-data; name="text"\r\n\r\n` +
      `title\r\n--${boundary}--\r\n`;
    return app.send({
      method: "POST",
      path: address,
      headers: {
        cookie: owner.cookie,
        "content-type": `multipart/form-data; boundary=${boundary}`,
        "content-length": `${text.length}`,
        ...headers,
      },
      body: text,
    });
  };
  const files = `/dashboard/projects/${projectId}/files`;
  for (const address of [`${path}/import`, `${path}/import/run`, files]) {
    assert.equal((await send(address, "a".repeat(61))).status, 415, address);
    assert.notEqual((await send(address, "a".repeat(60))).status, 415, address);
    const encoded = await send(address, "a", { "content-encoding": "gzip" });
    assert.equal(encoded.status, 415, `${address}, encoded`);
  }
});

import assert from "node:assert/strict";
import { parse } from "csv-parse/sync";
import { createApp } from "@/routes/app.ts";
import { linkOf, openPosts } from "./posts.ts";

Deno.test("CSV has the filtered documents in the order of the list, without formulas", async () => {
  await using posts = await openPosts();
  const nasty = [
    "=1+1",
    "+1",
    "-1+1",
    "@SUM(A1)",
    "\tx",
    "\rx",
    "\nx",
    "＝1",
    "'=1",
    "plain",
    'a "quote", and\nline',
  ];
  await posts.add(...nasty.map((title, views) => ({ title, views: views - 2, tags: ["a", "b"] })));
  await posts.add({ title: "left out", views: 1000, extra: { a: 1 } });
  const { dashboard, path } = posts;
  const page = await dashboard.get(`${path}?views_lt=100&sort=views`);
  const answer = await dashboard.get(linkOf(page, "CSV"));
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type")!, /^text\/csv/);
  assert.equal(answer.headers.get("content-disposition"), 'attachment; filename="posts.csv"');
  const [header, ...rows] = parse(answer.text, { record_delimiter: "\r\n" }) as string[][];
  assert.deepEqual(header!.slice(0, 4), ["_id", "title", "status", "views"]);
  const at = (name: string) => rows.map((row) => row[header!.indexOf(name)]);
  assert.deepEqual(at("title"), [
    ...["'=1+1", "'+1", "'-1+1", "'@SUM(A1)", "'\tx", "'\rx", "'\nx", "'＝1", "''=1"],
    ...["plain", 'a "quote", and\nline'],
  ]);
  assert.deepEqual(at("views"), nasty.map((_, i) => String(i - 2)), "numbers stay");
  assert.equal(at("tags")[0], '["a","b"]');
  await posts.add({ title: "b", views: 2000, "=cmd()": "@x" });
  const named = await dashboard.get(`${path}/export?.format=csv&views=2000`);
  assert.match(named.text, /,'=cmd\(\),[^]*,'@x,/, "names of columns are escaped too");
  const chosen = await dashboard.get(`${path}/export?.format=csv&views=1000&.columns=extra,title`);
  assert.match(linkOf(page, "CSV for Excel"), /\/export\?\.format=excel&/);
  const excel = await dashboard.get(`${path}/export?.format=excel&views=1000&.columns=title`);
  assert.equal(excel.headers.get("content-disposition"), 'attachment; filename="posts.csv"');
  assert.equal(chosen.text, 'extra,title\r\n"{""a"":1}",left out\r\n');
});

Deno.test("JSON has the documents as the list returns them, over many pages", async () => {
  await using posts = await openPosts();
  await posts.add(...Array.from({ length: 250 }, (_, views) => ({ title: "x", views })));
  const { dashboard, path } = posts;
  const answer = await dashboard.get(
    `${path}/export?.format=json&views_gte=20&sort=-views&limit=7`,
  );
  assert.equal(answer.headers.get("content-disposition"), 'attachment; filename="posts.json"');
  assert.deepEqual(
    JSON.parse(answer.text),
    await posts.list("views_gte=20&sort=-views&limit=1000"),
  );
  assert.deepEqual(
    JSON.parse((await dashboard.get(`${path}/export?.format=json&views=-1`)).text),
    [],
  );
  assert.equal((await dashboard.get(`${path}/export?.format=json&views_gt=x`)).status, 400);
  const viewer = await posts.other("viewer");
  assert.equal((await viewer.get(`${path}/export?.format=csv`)).status, 200);
});

Deno.test("an export reads pages on demand, and ends when the reader cancels", async () => {
  await using posts = await openPosts();
  await posts.add(...Array.from({ length: 1000 }, (_, views) => ({ title: "x", views })));
  const { engine } = posts.app.services;
  let lists = 0;
  const counting = new Proxy(engine, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (name === "records") {
        return (...args: Parameters<typeof engine.records>) => {
          const records = target.records(...args);
          return new Proxy(records, {
            get(inner, name) {
              if (name === "list" && args[1].name.startsWith("posts.")) lists++;
              const member = Reflect.get(inner, name, inner);
              return typeof member === "function" ? member.bind(inner) : member;
            },
          });
        };
      }
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const app = createApp({ ...posts.app.services, engine: counting });
  const response = await app.fetch(
    new Request(`http://localhost:8000${posts.path}/export?.format=json`, {
      headers: { cookie: posts.owner.cookie },
    }),
    { remoteAddr: { hostname: "127.0.0.1" } },
  );
  const reader = response.body!.getReader();
  await reader.read();
  await reader.read();
  const before = lists;
  assert.ok(before >= 1 && before <= 3, `${before} pages for the first`);
  await reader.cancel();
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.ok(lists <= before + 1, "no further page is read");
});

Deno.test("an export may exceed any answer, and keeps only a few large documents in memory", async () => {
  await using posts = await openPosts();
  const text = "x".repeat(900_000);
  for (let n = 0; n < 20; n++) await posts.add({ title: `${n}`, views: n, text });
  for (const format of ["json", "csv"]) {
    const app = createApp(posts.app.services);
    const response = await app.fetch(
      new Request(`http://localhost:8000${posts.path}/export?.format=${format}&sort=_id`, {
        headers: { cookie: posts.owner.cookie },
      }),
      { remoteAddr: { hostname: "127.0.0.1" } },
    );
    assert.equal(response.status, 200);
    const decoder = new TextDecoder();
    let exported = "";
    for await (const chunk of response.body!) {
      assert.ok(chunk.length < 1_100_000, `${chunk.length} bytes in a chunk`);
      exported += decoder.decode(chunk, { stream: true });
    }
    const titles = format === "json"
      ? (JSON.parse(exported) as { title: string }[]).map(({ title }) => title)
      : (parse(exported, { columns: true, record_delimiter: "\r\n" }) as { title: string }[])
        .map(({ title }) => title);
    assert.deepEqual(titles, Array.from({ length: 20 }, (_, n) => `${n}`), format);
  }
});

/** Opens data of an earlier Corbel version that stored documents only as JSON text. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createTestStore, type TestStore } from "../support/test_store.ts";
import { send } from "./project.ts";
import { freePort, run, type Server, startServer } from "./server.ts";

const BEFORE = new URL("../contract/before_columns/", import.meta.url);
const PROJECT = "6b063907f3a42d27610f95f0";
const KEY = "sk_live_Ky49SPvGohKXNN2y_7l2OXB43myV3kM-uYAaPXGJOlg";
const SETTINGS = { SECRET_KEYS: `fixture:${btoa("k".repeat(32))}` };
const POSTS = "/api/data/posts";

interface Post {
  readonly _id: string;
  readonly title: string;
  readonly Title: string | null;
  readonly views: number | null;
  readonly isDraft: boolean;
  readonly at: string;
  readonly slug: string | null;
  readonly ownerId: string;
  readonly address?: { readonly city: string; readonly zip?: number };
  readonly isDeleted: boolean;
}

async function copyOldStore(store: TestStore): Promise<string> {
  const project = `projects/${PROJECT}.db`;
  await Deno.mkdir(`${store.folder}/projects`, { recursive: true });
  for (const path of ["control.db", project]) {
    await Deno.copyFile(new URL(path, BEFORE), `${store.folder}/${path}`);
  }
  return `${store.folder}/${project}`;
}

async function list(server: Server, query: string, limit = 1000) {
  const answer = await send(server, { path: `${POSTS}?limit=${limit}&${query}`, key: KEY });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data as { items: Post[]; total: number };
}

const tableOf = (db: DatabaseSync): string =>
  db.prepare("select name from sqlite_schema where type = 'table' and name glob 'r_posts.*'")
    .get()!.name as string;

/** Filters, with the predicate that selects the expected documents. */
const FILTERS: Readonly<Record<string, (post: Post) => boolean>> = {
  "title=Title 3 ä": ({ title }) => title === "Title 3 ä",
  "Title=other": ({ Title }) => Title === "other",
  "Title=null": ({ Title }) => Title === "null",
  "views_gt=70.5": ({ views }) => views !== null && views > 70.5,
  "views=null": ({ views }) => views === null,
  "isDraft=true": ({ isDraft }) => isDraft,
  "at_lt=2024-01-01T00:00:00Z": ({ at }) => at < "2024-01-01",
  "slug=slug-11": ({ slug }) => slug === "slug-11",
  "ownerId=owner2": ({ ownerId }) => ownerId === "owner2",
  "address.city=City 2": ({ address }) => address?.city === "City 2",
  "address.zip_gte=1050": ({ address }) => (address?.zip ?? 0) >= 1050,
  "title_regex=^title 1": ({ title }) => /^title 1/i.test(title),
};

Deno.test("documents that an earlier version stored as text are found by every field", async () => {
  await using store = await createTestStore();
  const file = await copyOldStore(store);
  {
    await using server = await startServer({ store, settings: SETTINGS });
    const { items: all, total } = await list(server, "include_deleted=true");
    assert.deepEqual([all.length, total], [120, 120]);
    const live = all.filter(({ isDeleted }) => !isDeleted);
    assert.equal(live.length, 115);
    for (const [query, matches] of Object.entries(FILTERS)) {
      const [name, value] = query.split("=") as [string, string];
      const { items } = await list(server, `${name}=${encodeURIComponent(value)}`);
      const expected = live.filter(matches).map(({ _id }) => _id);
      assert.ok(expected.length > 0 || value === "null", query);
      assert.deepEqual(items.map(({ _id }) => _id).toSorted(), expected.toSorted(), query);
    }
    const { items } = await list(server, "sort=-views");
    assert.deepEqual(items[0], live.toSorted((a, b) => (b.views ?? -1) - (a.views ?? -1))[0]);
    const taken = { title: "x", ownerId: "me", slug: "slug-11" };
    const conflict = await send(server, { path: POSTS, key: KEY, body: taken });
    assert.equal(conflict.body.code, "DUPLICATE_VALUE");
    const { _id } = live[0]!;
    const patch = { method: "PATCH", path: `${POSTS}/${_id}`, key: KEY, body: { views: 7_777 } };
    assert.equal((await send(server, patch)).status, 200);
    assert.deepEqual((await list(server, "views=7777")).items.map(({ _id }) => _id), [_id]);
    const { stdout } = await server.stop();
    assert.match(stdout, /"Stored documents were upgraded[^\n]*"projects":1,"collections":2/);
  }
  using db = new DatabaseSync(file);
  assert.equal(db.prepare("pragma integrity_check").get()!.integrity_check, "ok");
  assert.match(
    db.prepare("select sql from sqlite_schema where name = ?").get(tableOf(db))!.sql as string,
    /"\.address\.zip" real,[^]*doc text not null/,
  );
  await using again = await startServer({ store, settings: SETTINGS });
  assert.doesNotMatch((await again.stop()).stdout, /were upgraded/);
});

Deno.test("a killed migration of documents resumes and loses none", async () => {
  await using store = await createTestStore();
  const file = await copyOldStore(store);
  const count = doubleDocuments(file, 9);
  const settings = { ...store.settings, ...SETTINGS, PORT: `${freePort()}` };
  for (const ms of [200, 300, 400, 500, 600, 700, 800, 900]) {
    const running = await run("start", [], { settings });
    await new Promise((resolve) => setTimeout(resolve, ms));
    running.signal("SIGKILL");
    await running.ended;
    using db = new DatabaseSync(file);
    const stored = db.prepare(`select count(*) as n from "${tableOf(db)}"`).get()!.n;
    assert.equal(stored, count, `after ${ms} ms`);
  }
  await using server = await startServer({ store, settings: SETTINGS });
  assert.equal((await list(server, "include_deleted=true&sort=-views", 1)).total, count);
  assert.ok((await list(server, "isDraft=true", 1)).total > count / 4);
});

function doubleDocuments(file: string, times: number): number {
  using db = new DatabaseSync(file);
  const table = `"${tableOf(db)}"`;
  const id = (at: string) => `substr(${at}, 1, 8) || lower(hex(randomblob(8)))`;
  db.exec(`drop index ${JSON.stringify(`${tableOf(db).replace("r_", "i_")} unique (slug)`)}`);
  db.exec("begin");
  for (let i = 0; i < times; i++) {
    db.exec(
      `insert into ${table}(id, rev, doc) select next, rev, json_set(doc, '$._id', next, ` +
        `'$.slug', null) from (select ${id("id")} as next, rev, doc from ${table})`,
    );
  }
  db.exec("commit");
  const { live, deleted } = db.prepare(
    `select sum(json_extract(doc, '$.isDeleted') = 0) as live, ` +
      `sum(json_extract(doc, '$.isDeleted') = 1) as deleted from ${table}`,
  ).get() as { live: number; deleted: number };
  db.prepare("update counts set live = ?, deleted = ? where name = ?")
    .run(live, deleted, tableOf(db).slice(2));
  return live + deleted;
}

/**
 * A bare server for the questions, written by hand for them with `Deno.serve` and `node:sqlite`: a
 * plain table with typed columns, an index for each question, prepared statements, stored totals
 * of tables, and documents sent as they are stored. It has no keys and no trash, and checks only
 * that a new document is an object.
 *
 *     bare_sql.ts FILE      serves the database that `BareFile` has filled
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { documentText, newDocument, pageText, serveAnswers } from "./bare_page.ts";
import type { Post, StoredPost } from "./documents.ts";

type Parameters = Readonly<Record<string, string>>;
type Row = readonly (string | number | null)[];
type Value = string | number | null;

const NAMES = ["posts", "small"] as const;

const schemaOf = (name: string): string => `
  create table ${name}(
    seq integer primary key, id text not null unique, userId text not null, title text not null,
    status text not null, views integer not null, rating real not null, city text not null,
    createdAt text not null, doc text not null
  ) strict;
  create index ${name}_newest on ${name}(createdAt, id);
  create index ${name}_owner on ${name}(userId, createdAt, id);
  create index ${name}_status on ${name}(status, views, id);
  create index ${name}_views on ${name}(views, createdAt, id);
  create index ${name}_city on ${name}(city, createdAt, id);
  create table ${name}_tags(
    tag text not null, createdAt text not null, id text not null, seq integer not null,
    primary key(tag, createdAt, id)
  ) strict, without rowid;
  create virtual table ${name}_words using fts5(title, content = '');
  insert into counts(name, total) values('${name}', 0);
`;

export class BareFile implements Disposable {
  readonly db: DatabaseSync;
  readonly #adding: Readonly<Record<string, (doc: string) => void>>;

  constructor(path: string) {
    this.db = new DatabaseSync(path);
    this.db.exec(
      "pragma journal_mode = wal; pragma synchronous = full; pragma mmap_size = 268435456",
    );
    if (this.db.prepare("select 1 from sqlite_schema").get() === undefined) {
      this.db.exec("create table counts(name text primary key, total integer) strict");
      for (const name of NAMES) this.db.exec(schemaOf(name));
    }
    this.#adding = Object.fromEntries(NAMES.map((name) => [name, prepareInsert(this.db, name)]));
  }

  /** @param docs Documents as JSON texts of Corbel, oldest first. */
  fill(name: string, docs: readonly string[]): void {
    this.db.exec("begin");
    for (const doc of docs) this.add(name, doc);
    this.db.exec("commit; analyze; pragma wal_checkpoint(truncate)");
  }

  add(name: string, doc: string): void {
    this.#adding[name]!(doc);
  }

  [Symbol.dispose](): void {
    this.db.close();
  }
}

function prepareInsert(db: DatabaseSync, name: string): (doc: string) => void {
  const row = db.prepare(
    `insert into ${name}(id, userId, title, status, views, rating, city, createdAt, doc)
     values(?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const tag = db.prepare(`insert into ${name}_tags(tag, createdAt, id, seq) values(?, ?, ?, ?)`);
  const words = db.prepare(`insert into ${name}_words(rowid, title) values(?, ?)`);
  const count = db.prepare(`update counts set total = total + 1 where name = '${name}'`);
  return (doc) => {
    const { _id, createdAt, ...post } = JSON.parse(doc) as StoredPost;
    const { userId, title, status, views, rating, place: { city } } = post;
    const { lastInsertRowid } = row.run(
      ...[_id, userId, title, status, views, rating, city, createdAt, doc],
    );
    words.run(lastInsertRowid, title);
    for (const one of post.tags) tag.run(one, createdAt, _id, lastInsertRowid);
    count.run();
  };
}

/** Prepares a statement that returns rows as arrays. Deno's types lack `setReturnArrays`. */
function prepared(db: DatabaseSync, text: string) {
  const statement = db.prepare(text) as StatementSync & { setReturnArrays(on: boolean): void };
  statement.setReturnArrays(true);
  return (...values: Value[]) => statement.all(...values) as unknown as Row[];
}

const NEWEST = "order by createdAt desc, id desc";

const firstDocument = ([row]: readonly Row[]): string => row![0] as string;

function prepareAnswers(
  db: DatabaseSync,
): Readonly<Record<string, (values: Parameters) => string>> {
  const sql = (text: string) => prepared(db, text);
  /** Prepares a page. One row more than the limit shows that there is a next page. */
  const paged = (from: string, where: string, order = NEWEST) =>
    sql(`select doc, createdAt, id from ${from} where ${where} ${order} limit ? offset ?`);
  const counted = (from: string, where: string) =>
    sql(`select count(*) from ${from} where ${where}`);
  const total = sql("select total from counts where name = 'posts'");

  const one = sql("select doc from posts where id = ?");
  const all = paged("posts", "true");
  const behind = paged("posts", "(createdAt, id) < (?, ?)");
  const owned = [paged("posts", "userId = ?"), counted("posts", "userId = ?")] as const;
  const ranged = "status = ? and views >= ? and views < ?";
  const filtered = [
    paged("posts", ranged, "order by views desc, id desc"),
    counted("posts", ranged),
  ] as const;
  const viewed = paged("posts", "views >= ?", "order by views, id");
  const listed = "views in (?, ?, ?, ?, ?)";
  const anyOf = [paged("posts", listed), counted("posts", listed)] as const;
  const tagged = [
    sql(`select doc, posts.createdAt, posts.id from posts_tags join posts using (seq)
      where tag = ? order by posts_tags.createdAt desc, posts_tags.id desc limit ? offset ?`),
    counted("posts_tags", "tag = ?"),
  ] as const;
  const within = [paged("posts", "city = ?"), counted("posts", "city = ?")] as const;
  const searched = "seq in (select rowid from posts_words where posts_words match ?)";
  const searching = [paged("posts", searched), counted("posts", searched)] as const;
  const text = "title like '%' || ? || '%'";
  const containing = [paged("small", text), counted("small", text)] as const;
  const rated = "rating >= ? and rating < ?";
  const unindexed = [paged("small", rated), counted("small", rated)] as const;

  type Statement = ReturnType<typeof sql>;
  const list = (
    [page, count]: readonly [Statement, Statement],
    values: readonly Value[],
    number = 1,
  ) =>
    pageText(page(...values, 21, (number - 1) * 20), {
      limit: 20,
      page: number,
      total: count(...values)[0]![0] as number,
    });
  return {
    by_id: ({ id }) => documentText(firstDocument(one(id!)), "found"),
    newest: () => pageText(all(21, 0), { limit: 20, page: 1, total: total()[0]![0] as number }),
    page_deep: ({ createdAt, id }) =>
      pageText(behind(createdAt!, id!, 21, 0), { limit: 20, total: total()[0]![0] as number }),
    page_offset: ({ page }) =>
      pageText(all(101, (Number(page) - 1) * 100), {
        limit: 100,
        page: Number(page),
        total: total()[0]![0] as number,
      }),
    owner_pages: ({ userId, page }) => list(owned, [userId!], Number(page)),
    owner_private: ({ userId, page }) => list(owned, [userId!], Number(page)),
    filter_range_sort: ({ status, from, until }) =>
      list(filtered, [status!, Number(from), Number(until)]),
    range_sort: ({ from }) => pageText(viewed(Number(from), 21, 0), { limit: 20, page: 1 }),
    in_list: ({ views }) => list(anyOf, views!.split(",").map(Number)),
    array_has: ({ tag }) => list(tagged, [tag!]),
    nested: ({ city }) => list(within, [city!]),
    search: ({ words }) => list(searching, [words!.split(" ").map((one) => `${one}*`).join(" ")]),
    contains: ({ text }) => list(containing, [text!]),
    unindexed: ({ from, until }) => list(unindexed, [Number(from), Number(until)]),
  };
}

if (import.meta.main) {
  const file = new BareFile(Deno.args[0]!);
  const { db } = file;
  const asked = prepareAnswers(db);
  const patched = prepared(
    db,
    `update posts set rating = ?1, doc = json_set(doc, '$.rating', ?1, '$.updatedAt', ?2)
     where id = ?3 returning doc`,
  );
  serveAnswers({
    insert(body) {
      const doc = JSON.stringify(newDocument(body));
      db.exec("begin immediate");
      file.add("posts", doc);
      db.exec("commit");
      return documentText(doc, "created");
    },
    patch(id, body) {
      const { rating } = JSON.parse(body) as Pick<Post, "rating">;
      return documentText(firstDocument(patched(rating, new Date().toISOString(), id)), "updated");
    },
    answer: (name, values) => asked[name]!(values),
  });
}

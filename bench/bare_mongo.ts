/**
 * A bare server for the questions on MongoDB, written by hand for them with `Deno.serve` and the
 * driver: an index for each question, one find and one count, totals of collections from their
 * metadata, and documents written as JSON.
 *
 *     bare_mongo.ts URL     serves the database that `BareMongo` has filled
 */
import { type Filter, MongoClient, type Sort } from "mongodb";
import { documentText, newDocument, pageText, serveAnswers } from "./bare_page.ts";
import type { StoredPost } from "./documents.ts";

type Doc = StoredPost & { readonly words: readonly string[] };
type Values = Readonly<Record<string, string>>;

const DATABASE = "bare";
const FILLED_AT_ONCE = 1_000;

const withWords = (post: StoredPost): Doc => ({ ...post, words: post.title.split(" ") });

export class BareMongo implements AsyncDisposable {
  readonly #client: MongoClient;

  constructor(url: string) {
    this.#client = new MongoClient(url);
  }

  collection(name: string) {
    return this.#client.db(DATABASE).collection<Doc>(name);
  }

  /** @param docs Documents as JSON texts of Corbel, oldest first. */
  async fill(name: string, docs: readonly string[]): Promise<void> {
    const collection = this.collection(name);
    await collection.createIndexes([
      { key: { createdAt: -1, _id: -1 } },
      { key: { userId: 1, createdAt: -1, _id: -1 } },
      { key: { status: 1, views: 1, _id: 1 } },
      { key: { views: 1, _id: 1 } },
      { key: { "place.city": 1, createdAt: -1, _id: -1 } },
      { key: { tags: 1, createdAt: -1, _id: -1 } },
      { key: { words: 1 } },
    ]);
    for (let from = 0; from < docs.length; from += FILLED_AT_ONCE) {
      const some = docs.slice(from, from + FILLED_AT_ONCE);
      await collection.insertMany(some.map((doc) => withWords(JSON.parse(doc))));
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#client.close();
  }
}

interface List {
  readonly filter: Filter<Doc>;
  readonly sort?: Sort;
  readonly limit?: number;
  /** Page number; null with a cursor. */
  readonly page?: number | null;
  readonly total?: "counted" | "kept" | "none";
  readonly of?: "posts" | "small";
}

const LISTS: Readonly<Record<string, (values: Values) => List>> = {
  newest: () => ({ filter: {}, total: "kept" }),
  page_deep: ({ createdAt, id }) => ({
    filter: {
      $or: [{ createdAt: { $lt: createdAt! } }, { createdAt: createdAt!, _id: { $lt: id! } }],
    },
    page: null,
    total: "kept",
  }),
  page_offset: ({ page }) => ({ filter: {}, limit: 100, page: Number(page), total: "kept" }),
  owner_pages: ({ userId, page }) => ({ filter: { userId: userId! }, page: Number(page) }),
  owner_private: ({ userId, page }) => ({ filter: { userId: userId! }, page: Number(page) }),
  filter_range_sort: ({ status, from, until }) => ({
    filter: { status: status as Doc["status"], views: { $gte: Number(from), $lt: Number(until) } },
    sort: { views: -1, _id: -1 },
  }),
  range_sort: ({ from }) => ({
    filter: { views: { $gte: Number(from) } },
    sort: { views: 1, _id: 1 },
    total: "none",
  }),
  in_list: ({ views }) => ({ filter: { views: { $in: views!.split(",").map(Number) } } }),
  array_has: ({ tag }) => ({ filter: { tags: tag! } }),
  nested: ({ city }) => ({ filter: { "place.city": city! } }),
  search: ({ words }) => ({
    filter: { $and: words!.split(" ").map((word) => ({ words: new RegExp(`^${word}`) })) },
  }),
  contains: ({ text }) => ({ filter: { title: new RegExp(text!, "i") }, of: "small" }),
  unindexed: ({ from, until }) => ({
    filter: { rating: { $gte: Number(from), $lt: Number(until) } },
    of: "small",
  }),
};

const SHOWN = { projection: { words: 0 } } as const;

async function answerList(database: BareMongo, list: List): Promise<string> {
  const { filter, sort = { createdAt: -1, _id: -1 }, limit = 20, page = 1, total = "counted" } =
    list;
  const collection = database.collection(list.of ?? "posts");
  const [docs, count] = await Promise.all([
    collection.find(filter, SHOWN).sort(sort).skip(((page ?? 1) - 1) * limit).limit(limit + 1)
      .toArray(),
    total === "counted" ? collection.countDocuments(filter) : collection.estimatedDocumentCount(),
  ]);
  const rows = docs.map((doc) => [JSON.stringify(doc), doc.createdAt, doc._id]);
  return pageText(rows, {
    limit,
    ...(page !== null && { page }),
    ...(total !== "none" && { total: count }),
  });
}

if (import.meta.main) {
  const database = new BareMongo(Deno.args[0]!);
  const posts = database.collection("posts");
  serveAnswers({
    async insert(body) {
      const document = withWords(newDocument(body));
      await posts.insertOne(document);
      const { words: _, ...shown } = document;
      return documentText(JSON.stringify(shown), "created");
    },
    async patch(id, body) {
      const { rating } = JSON.parse(body) as Pick<StoredPost, "rating">;
      const change = { $set: { rating, updatedAt: new Date().toISOString() } };
      const changed = await posts.findOneAndUpdate({ _id: id }, change, {
        ...SHOWN,
        returnDocument: "after",
      });
      return documentText(JSON.stringify(changed), "updated");
    },
    async answer(name, values) {
      if (name !== "by_id") return await answerList(database, LISTS[name]!(values));
      return documentText(JSON.stringify(await posts.findOne({ _id: values.id! }, SHOWN)), "found");
    },
  });
}

/** Uses the types that openapi-typescript generates from a project's document. */

import createClient from "openapi-fetch";
import type { components, operations, paths } from "./corbel.d.ts";

type Schemas = components["schemas"];
type Query = NonNullable<operations["postsList"]["parameters"]["query"]>;

const { CORBEL_URL, CORBEL_KEY } = process.env;
const client = createClient<paths>({
  baseUrl: CORBEL_URL!,
  headers: { "x-api-key": CORBEL_KEY! },
});

async function list(query: Query): Promise<Schemas["PostsList"]> {
  const { data, error } = await client.GET("/api/data/posts", {
    params: { query: { sort: "views", ...query } },
  });
  if (error !== undefined) throw new Error(`${error.code}: ${error.message}`);
  return data.data;
}

const titles = ({ items }: Schemas["PostsList"]): string[] => items.map(({ title }) => title);

const first = await list({ limit: 100 });
const filtered = await list({ views_gt: 3 });

const where: Schemas["PostsWhere"] = { or: [{ views: { gt: 4 } }, { title: "One" }] };
const asked = await list({ where: JSON.stringify(where) });

const six = {
  title: "Six",
  slug: "six",
  views: 16_777_217,
  tags: ["new"],
  place: { city: "Bern" },
} satisfies Schemas["PostsCreate"];
const created = await client.POST("/api/data/posts", { body: six });
if (created.error !== undefined) throw new Error(created.error.message);
const post = created.data.data;

const pages: string[][] = [];
for (let cursor: string | null | undefined; cursor !== null;) {
  const data = await list({ limit: 4, ...(cursor !== undefined && { cursor }) });
  pages.push(titles(data));
  cursor = data.nextCursor;
}

const patched = await client.PATCH("/api/data/posts/{id}", {
  params: { path: { id: post._id } },
  body: { views: { $inc: 1 } } satisfies Schemas["PostsPatch"],
});
if (patched.error !== undefined) throw new Error(patched.error.message);

await client.POST("/api/data/comments", { body: { postId: post._id, text: "First" } });
const comments = await client.GET("/api/data/comments", {
  params: { query: { postId: post._id, populate: "postId" } },
});
if (comments.error !== undefined) throw new Error(comments.error.message);
const commented = comments.data.data.items[0]!.postId;

const refused = await client.POST("/api/data/posts", { body: six });
if (refused.error === undefined) throw new Error("nothing was refused");
const isTaken = refused.error.code === "DUPLICATE_VALUE";

console.log(JSON.stringify({
  listed: titles(first),
  total: first.total,
  filtered: titles(filtered),
  asked: titles(asked),
  created: [post.title, post.tags, post.place?.city],
  createdIn: new Date(post.createdAt).getUTCFullYear(),
  pages,
  patched: patched.data.data.views,
  commented: typeof commented === "string" ? null : commented.title,
  refused: [refused.response.status, isTaken ? refused.error.code : null],
}));

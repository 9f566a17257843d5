/** What an application does by the types that openapi-typescript makes of the document. */

import createClient from "openapi-fetch";
import type { paths } from "./corbel.js";

const { CORBEL_URL, CORBEL_KEY } = process.env;
const client = createClient<paths>({
  baseUrl: CORBEL_URL!,
  headers: { "x-api-key": CORBEL_KEY! },
});

async function page(query: { cursor?: string; limit: number }) {
  const { data, error } = await client.GET("/api/data/{collectionName}", {
    params: { path: { collectionName: "posts" }, query: { sort: "views", ...query } },
  });
  if (error !== undefined) throw new Error(error.message);
  return data.data;
}

const titles = (documents: readonly { readonly [name: string]: unknown }[]) =>
  documents.map(({ title }) => title);

const first = await page({ limit: 100 });

const made = await client.POST("/api/data/{collectionName}", {
  params: { path: { collectionName: "posts" } },
  body: { title: "Six", views: 6 },
});
if (made.error !== undefined) throw new Error(made.error.message);
const document = made.data.data;

const pages: unknown[][] = [];
for (let cursor: string | null | undefined; cursor !== null;) {
  const data = await page({ limit: 4, ...(cursor !== undefined && { cursor }) });
  pages.push(titles(data.items));
  cursor = data.nextCursor;
}

const refused = await client.GET("/api/data/{collectionName}", {
  params: { path: { collectionName: "nothing" } },
});
if (refused.error === undefined) throw new Error("nothing was refused");
// A code that the document does not have is an error of the types.
const isMissing = refused.error.code === "COLLECTION_NOT_FOUND";

console.log(JSON.stringify({
  listed: titles(first.items),
  total: first.total,
  created: document.title,
  createdIn: new Date(document.createdAt).getUTCFullYear(),
  pages,
  refused: [refused.response.status, isMissing ? refused.error.code : null],
}));

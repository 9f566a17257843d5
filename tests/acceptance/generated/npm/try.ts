/** Uses the client from its package like a server does. */

import { CorbelError, createClient } from "corbel-client";
import type { Project } from "./corbel_types.ts";

const { CORBEL_URL, CORBEL_KEY } = process.env;
const corbel = createClient<Project>({ url: CORBEL_URL!, key: CORBEL_KEY! });
const posts = corbel.from("posts");

const { items } = await posts.list({ where: { views: { gt: 3 } }, sort: "views" });
const created = await posts.create({ title: "Six", slug: "six", views: 6 });
const pages: string[][] = [];
for await (const page of posts.pages({ fields: ["title"], sort: "views", limit: 4 })) {
  pages.push(page.items.map(({ title }) => title));
}
const refused = await posts.create({ title: "Six", slug: "six" })
  .catch((error) => error instanceof CorbelError ? [error.status, error.code] : null);
// @ts-expect-error A field is misspelt.
posts.create({ titel: "Seven" }).catch(() => {});

console.log(JSON.stringify({
  found: items.map(({ title }) => title),
  created: created.title,
  pages,
  refused,
}));
